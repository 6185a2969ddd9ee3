package gitstore

import (
	"bytes"
	"cmp"
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
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The outbox is the folder liza/outbox in the shared git directory: one file
// for each move of this clone that is written and waits to be pushed. They are
// a chain, each built on the one before, so that one push can bring them all;
// their names say the order. The process that made the move holds a kernel
// lock on its entry: where the lock can be taken, no process waits any more, and
// the move is not pushed. The folder liza/waiting has the same for moves that wait
// until the refs of this clone move, see [proposal].
//
// The first line of an entry is the move. The process that pushes it adds the outcome
// as the second line and removes the file. A process holds the queue while it adds an
// entry, and while it removes entries that it has pushed.

// An outboxMove is what an entry holds.
type outboxMove struct {
	Commit  git.ID          `json:"commit,omitempty"`
	Parent  git.ID          `json:"parent,omitempty"`
	Push    []git.RefUpdate `json:"push,omitempty"`    // of the remote, state first
	Refs    []git.RefUpdate `json:"refs,omitempty"`    // of this clone; without the state if there is a remote
	Subject string          `json:"subject,omitempty"` // for the reflogs of this clone
}

// An outboxEntry is one file of the outbox.
type outboxEntry struct {
	outboxMove
	path  string
	file  *os.File // open while this process waits for the entry
	begin int64    // offset of the second line
	dead  bool     // no process waits for it
}

// An outcome is the result of an entry.
type outcome struct {
	Kind   string    `json:"kind"`
	Rule   flow.Rule `json:"rule,omitempty"`
	Reason string    `json:"reason,omitempty"` // of a refusal or an error
	Hint   string    `json:"hint,omitempty"`
	Commit git.ID    `json:"commit,omitempty"` // of a breach
}

// The kinds of outcomes; outcomeErrors has more of them.
const (
	outcomeLanded   = "landed"
	outcomeAgain    = "again" // other moves came first: build it again
	outcomeRefused  = "refused"
	outcomeBreach   = "breach"
	outcomeForeign  = "foreign"
	outcomeDiverged = "diverged"
	outcomeLocked   = "locked"
	outcomeDamaged  = "damaged"
	outcomeFailed   = "failed"
)

// outcomeErrors are the errors that the process that pushes passes on by their kinds to
// the process that waits.
var outcomeErrors = []struct {
	kind string
	err  error
}{
	{"remote disk", ErrRemoteFull}, {"login", ErrLogin}, {"declined", ErrDeclined}, {"offline", ErrOffline}, {"time limit", context.DeadlineExceeded},
	{"git", git.ErrMissing}, {"disk", syscall.ENOSPC}, {"unsynced", git.ErrUnsynced}, {"objects", git.ErrDamaged},
}

// outcomeOf is the outcome of entries whose push ended in an error.
func outcomeOf(err error) outcome {
	f := outcome{Kind: outcomeFailed, Reason: err.Error()}
	var refusal *flow.Refusal
	var breach *Breach
	var diverged *Diverged
	var locked *git.Locked
	var damaged *Damaged
	switch {
	case errors.As(err, &breach):
		return outcome{Kind: outcomeBreach, Commit: breach.Commit, Reason: breach.Err.Error()}
	case errors.As(err, &diverged):
		return outcome{Kind: outcomeDiverged, Reason: diverged.Reason, Hint: diverged.Hint}
	case errors.As(err, &locked):
		return outcome{Kind: outcomeLocked, Reason: err.Error(), Hint: locked.Hint}
	case errors.As(err, &damaged):
		return outcome{Kind: outcomeDamaged, Reason: err.Error(), Hint: damaged.Hint}
	case errors.As(err, &refusal):
		f = outcome{Kind: outcomeRefused, Rule: refusal.Rule, Reason: refusal.Reason, Hint: refusal.Hint}
		if errors.Is(err, ErrForeignRef) {
			f.Kind = outcomeForeign
		}
		return f
	}
	for _, known := range outcomeErrors {
		if errors.Is(err, known.err) {
			f.Kind = known.kind
			break
		}
	}
	return f
}

// An outcomeError is an error that another process got when it pushed for this
// one.
type outcomeError struct {
	text string
	err  error
}

func (e *outcomeError) Error() string { return e.text }

func (e *outcomeError) Unwrap() error { return e.err }

// asError is the outcome as an error; nil if the entry landed.
func (f outcome) asError() error {
	refusal := &flow.Refusal{Rule: f.Rule, Reason: f.Reason, Hint: f.Hint}
	switch f.Kind {
	case outcomeLanded:
		return nil
	case outcomeAgain:
		return &outcomeError{cmp.Or(f.Reason, git.ErrRefMoved.Error()), git.ErrRefMoved}
	case outcomeRefused:
		return refusal
	case outcomeForeign:
		return fmt.Errorf("%w: %w", ErrForeignRef, refusal)
	case outcomeDiverged:
		return &Diverged{f.Reason, f.Hint, false}
	case outcomeLocked:
		return &git.Locked{Reason: f.Reason, Hint: f.Hint}
	case outcomeDamaged:
		return &outcomeError{f.Reason, &Damaged{Hint: f.Hint}}
	case outcomeBreach:
		return &Breach{f.Commit, errors.New(f.Reason)}
	}
	for _, known := range outcomeErrors {
		if f.Kind == known.kind {
			return &outcomeError{f.Reason, known.err}
		}
	}
	return errors.New(f.Reason)
}

func outboxDir(r *git.Repo) string { return filepath.Join(r.CommonDir(), layout.Private, "outbox") }

// listOutbox lists the entries in order, while the queue is held.
func listOutbox(r *git.Repo) ([]*outboxEntry, error) {
	list, err := listEntries(outboxDir(r))
	for _, e := range list {
		if len(e.Push) == 0 {
			e.dead = true // not an entry: it is removed like a dead one
		}
	}
	return list, err
}

// listEntries lists the entries in a folder in order, while the queue is held. What a
// process left that was killed while it wrote one is removed.
func listEntries(dir string) ([]*outboxEntry, error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("moves that wait: %w", err)
	}
	var list []*outboxEntry
	for _, name := range names {
		if !name.Type().IsRegular() {
			continue // not an entry, see [StrangeFiles]
		}
		path := filepath.Join(dir, name.Name())
		if strings.HasSuffix(path, ".new") {
			os.Remove(path)
			continue
		}
		e, err := openEntry(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the process that waited for it gave up
		}
		if errors.Is(err, fs.ErrPermission) {
			list = append(list, &outboxEntry{path: path, dead: true}) // of another user: no process of this one waits
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("moves that wait: %w", err)
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
	e := &outboxEntry{path: path, dead: git.TryLock(f) == nil}
	defer git.Unlock(f)
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	line, _, whole := bytes.Cut(data, []byte("\n"))
	if !whole || json.Unmarshal(line, &e.outboxMove) != nil {
		e.dead = true // not an entry: it is removed like a dead one
	}
	return e, nil
}

// addEntry adds an entry to a folder after the others, while the queue is held. mark
// ends its name.
func addEntry(dir string, l outboxMove, after []*outboxEntry, mark string) (*outboxEntry, error) {
	n := 0
	if len(after) > 0 {
		last, _, _ := strings.Cut(filepath.Base(after[len(after)-1].path), "-")
		n, _ = strconv.Atoi(last)
	}
	e := &outboxEntry{outboxMove: l}
	for e.path == "" || isThere(e.path) || isThere(e.path+".new") {
		n++
		e.path = filepath.Join(dir, fmt.Sprintf("%012d%s", n, mark))
	}
	if err := e.write(); err != nil {
		return nil, fmt.Errorf("moves that wait: %w", err)
	}
	return e, nil
}

// write creates the file, complete and locked, in one step.
func (e *outboxEntry) write() error {
	line, err := json.Marshal(e.outboxMove)
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
		err = git.TryLock(e.file)
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

// readOutcome is what became of an entry that this process waits for, false while
// nobody knows.
func (e *outboxEntry) readOutcome() (outcome, bool) {
	data, err := io.ReadAll(io.NewSectionReader(e.file, e.begin, MaxMove))
	if err != nil || !bytes.HasSuffix(data, []byte("\n")) {
		return outcome{}, false
	}
	var f outcome
	if err := json.Unmarshal(data, &f); err != nil {
		return outcome{Kind: outcomeFailed, Reason: "outbox: " + err.Error()}, true
	}
	return f, true
}

// writeOutcome ends an entry: its process reads its outcome from the file that it holds
// open.
func (e *outboxEntry) writeOutcome(f outcome) {
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

// withdraw takes back an entry that this process no longer waits for.
func (e *outboxEntry) withdraw() {
	e.removeFile()
	e.file.Close()
}

// removeFile removes the entry's file, unless another entry has its name by now.
func (e *outboxEntry) removeFile() {
	if git.StillAt(e.file, e.path) {
		os.Remove(e.path)
	}
}

// writeOutcomes gives the same outcome to several.
func writeOutcomes(list []*outboxEntry, f outcome) {
	for _, e := range list {
		e.writeOutcome(f)
	}
}

// isChain reports whether entries are a chain that begins at the mirror, and
// somebody waits for each.
func isChain(list []*outboxEntry, mirror git.ID) bool {
	for _, e := range list {
		if e.dead || e.Parent != mirror {
			return false
		}
		mirror = e.Commit
	}
	return true
}

// foldUpdates merges the updates of several entries into one per ref: from the
// first old value to the last new value.
func foldUpdates(list []*outboxEntry, refs func(*outboxEntry) []git.RefUpdate) []git.RefUpdate {
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
