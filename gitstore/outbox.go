package gitstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The outbox is the folder liza/outbox in the shared git directory: one file
// for each move of this clone that is written and waits to be pushed. They are
// a chain, each built on the one before, so that one push can bring them all;
// their names say the order. The process that made the move holds a kernel
// lock on its entry: where the lock can be had, nobody waits any more, and the
// move is not pushed.
//
// The first line of an entry is the move; whoever pushes it adds what became of
// it as a second, and removes the file. Entries are added, and removed by whom
// pushes, while the queue is held.

// A letter is what an entry of the outbox holds.
type letter struct {
	Commit git.ID          `json:"commit"`
	Parent git.ID          `json:"parent,omitempty"`
	Push   []git.RefUpdate `json:"push"` // of the remote, state first
	Refs   []git.RefUpdate `json:"refs"` // of this clone, without the state
}

// A outboxEntry is one file of the outbox.
type outboxEntry struct {
	letter
	path  string
	file  *os.File // where this process waits for it
	begin int64    // of the second line
	dead  bool     // nobody waits for it
}

// A fate is what became of a letter.
type fate struct {
	Kind   string    `json:"kind"`
	Rule   flow.Rule `json:"rule,omitempty"`
	Reason string    `json:"reason,omitempty"` // of a refusal or an error
	Hint   string    `json:"hint,omitempty"`
	Commit git.ID    `json:"commit,omitempty"` // of a breach
}

// The kinds of fates that are no errors; the others are those of fateErrors.
const (
	fateLanded  = "landed"
	fateAgain   = "again" // others were faster: build it again
	fateRefused = "refused"
	fateBreach  = "breach"
	fateForeign = "foreign"
	fateApart   = "diverged"
	fateLocked  = "locked"
	fateFailed  = "failed"
)

// fateErrors are the sentinels that travel from who pushed to who waits.
var fateErrors = []struct {
	kind string
	err  error
}{
	{"remote disk", ErrRemoteFull}, {"offline", ErrOffline}, {"time limit", context.DeadlineExceeded},
	{"git", git.ErrMissing}, {"disk", syscall.ENOSPC},
}

// fateOf is the fate of those whose push ended in an error.
func fateOf(err error) fate {
	f := fate{Kind: fateFailed, Reason: err.Error()}
	var refusal *flow.Refusal
	var breach *Breach
	var apart *Diverged
	var locked *git.Locked
	switch {
	case errors.As(err, &breach):
		return fate{Kind: fateBreach, Commit: breach.Commit, Reason: breach.Err.Error()}
	case errors.As(err, &apart):
		return fate{Kind: fateApart, Reason: apart.Reason, Hint: apart.Hint}
	case errors.As(err, &locked):
		return fate{Kind: fateLocked, Reason: err.Error(), Hint: locked.Hint}
	case errors.As(err, &refusal):
		f = fate{Kind: fateRefused, Rule: refusal.Rule, Reason: refusal.Reason, Hint: refusal.Hint}
		if errors.Is(err, ErrForeignRef) {
			f.Kind = fateForeign
		}
		return f
	}
	for _, known := range fateErrors {
		if errors.Is(err, known.err) {
			f.Kind = known.kind
			break
		}
	}
	return f
}

// A fateError is an error that another process met on behalf of this one.
type fateError struct {
	text string
	err  error
}

func (e *fateError) Error() string { return e.text }

func (e *fateError) Unwrap() error { return e.err }

// err is the fate as an error; nil if the letter landed.
func (f fate) err() error {
	refusal := &flow.Refusal{Rule: f.Rule, Reason: f.Reason, Hint: f.Hint}
	switch f.Kind {
	case fateLanded:
		return nil
	case fateRefused:
		return refusal
	case fateForeign:
		return fmt.Errorf("%w: %w", ErrForeignRef, refusal)
	case fateApart:
		return &Diverged{f.Reason, f.Hint}
	case fateLocked:
		return &git.Locked{Reason: f.Reason, Hint: f.Hint}
	case fateBreach:
		return &Breach{f.Commit, errors.New(f.Reason)}
	}
	for _, known := range fateErrors {
		if f.Kind == known.kind {
			return &fateError{f.Reason, known.err}
		}
	}
	return errors.New(f.Reason)
}

func outboxDir(r *git.Repo) string { return filepath.Join(r.CommonDir(), "liza", "outbox") }

// listOutbox lists the entries in order, while the queue is held. What a process
// left that was killed while it wrote one is removed.
func listOutbox(r *git.Repo) ([]*outboxEntry, error) {
	names, err := os.ReadDir(outboxDir(r))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	var list []*outboxEntry
	for _, name := range names {
		if !name.Type().IsRegular() {
			continue // not one of ours, see [Strange]
		}
		path := filepath.Join(outboxDir(r), name.Name())
		if strings.HasSuffix(path, ".new") {
			os.Remove(path)
			continue
		}
		e, err := openEntry(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // whoever waited for it gave up
		}
		if err != nil {
			return nil, fmt.Errorf("outbox: %w", err)
		}
		list = append(list, e)
	}
	return list, nil
}

func openEntry(path string) (*outboxEntry, error) {
	f, err := git.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &outboxEntry{path: path, dead: git.Flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	line, _, whole := bytes.Cut(data, []byte("\n"))
	if !whole || json.Unmarshal(line, &e.letter) != nil || len(e.Push) == 0 {
		e.dead = true // not one of ours: it goes with the dead
	}
	return e, nil
}

// postLetter adds a letter after the others, while the queue is held.
func postLetter(r *git.Repo, l letter, after []*outboxEntry) (*outboxEntry, error) {
	n := 0
	if len(after) > 0 {
		n, _ = strconv.Atoi(filepath.Base(after[len(after)-1].path))
	}
	e := &outboxEntry{letter: l}
	for e.path == "" || stands(e.path) || stands(e.path+".new") {
		n++
		e.path = filepath.Join(outboxDir(r), fmt.Sprintf("%012d", n))
	}
	if err := e.write(); err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return e, nil
}

// write makes the file appear whole and locked.
func (e *outboxEntry) write() error {
	line, err := json.Marshal(e.letter)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(e.path), 0o777); err != nil {
		return err
	}
	fresh := e.path + ".new"
	if e.file, err = os.OpenFile(fresh, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o666); err != nil {
		return err
	}
	line = append(line, '\n')
	e.begin = int64(len(line))
	if _, err = e.file.Write(line); err == nil {
		err = git.Flock(e.file, syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		err = os.Rename(fresh, e.path)
	}
	if err != nil {
		os.Remove(fresh)
		e.file.Close()
	}
	return err
}

// fate is what became of a letter that this process waits for, false while
// nobody knows.
func (e *outboxEntry) fate() (fate, bool) {
	data, err := io.ReadAll(io.NewSectionReader(e.file, e.begin, MaxMove))
	if err != nil || !bytes.HasSuffix(data, []byte("\n")) {
		return fate{}, false
	}
	var f fate
	if err := json.Unmarshal(data, &f); err != nil {
		return fate{Kind: fateFailed, Reason: "outbox: " + err.Error()}, true
	}
	return f, true
}

// tell ends an entry: its process reads its fate from the file that it holds
// open.
func (e *outboxEntry) tell(f fate) {
	line, err := json.Marshal(f)
	if err != nil || e.dead {
		os.Remove(e.path)
		return
	}
	if file, err := os.OpenFile(e.path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_, _ = file.Write(append(line, '\n'))
		file.Close()
	}
	os.Remove(e.path)
}

// withdraw takes back a letter that this process no longer waits for.
func (e *outboxEntry) withdraw() {
	e.forget()
	e.file.Close()
}

// forget removes the entry's file, unless another entry has its name by now.
func (e *outboxEntry) forget() {
	if git.StillAt(e.file, e.path) {
		os.Remove(e.path)
	}
}

// tellAll gives the same fate to several.
func tellAll(list []*outboxEntry, f fate) {
	for _, e := range list {
		e.tell(f)
	}
}

// linked reports whether entries are a chain that begins at the mirror, and
// somebody waits for each.
func linked(list []*outboxEntry, mirror git.ID) bool {
	for _, e := range list {
		if e.dead || e.Parent != mirror {
			return false
		}
		mirror = e.Commit
	}
	return true
}

// fold makes one update per ref of those of several letters: from where the
// first finds it to where the last leaves it.
func fold(list []*outboxEntry, refs func(*outboxEntry) []git.RefUpdate) []git.RefUpdate {
	var folded []git.RefUpdate
	at := map[string]int{}
	for _, e := range list {
		for _, u := range refs(e) {
			if i, known := at[u.Name]; known {
				folded[i].New = u.New
				continue
			}
			at[u.Name] = len(folded)
			folded = append(folded, u)
		}
	}
	return folded
}
