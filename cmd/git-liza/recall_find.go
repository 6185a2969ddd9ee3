//go:build !apart

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/lesson"
	"github.com/git-liza/git-liza/cmd/git-liza/recall"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// find brings the index up to date, and asks it.
func (c *recallCommand) find(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	reading := recallReading{look: l, ctx: inv.ctx, now: time.Now, mask: secret.New(inv.environ, nil), progress: inv.progress}
	query := strings.Join(c.Query, " ")
	hits, kept, err := reading.ask(query, c.Source, c.Count)
	if err != nil {
		return err
	}
	if kept != nil {
		inv.progress("the index could not be kept, so the next recall reads everything again: %s", plaintext.Line(kept.Error()))
	}
	found := make([]view.Hit, len(hits))
	for i, h := range hits {
		found[i] = view.Hit{Source: h.Source, ID: h.ID, Task: h.Task, Title: h.Title, At: h.At, Excerpt: reading.mask.String(h.Excerpt), Score: h.Score}
	}
	if err := reading.Board.Err(); err != nil {
		return err
	}
	return inv.answer("", map[string]any{"query": query, "hits": found}, view.HitsText(found, query, l.Board.Settings().Integration.Name, inv.width()))
}

// The sources of what is recalled.
const (
	movesSource    = "move"
	sessionsSource = "session"
	filesSource    = "file"
)

// A recallReading reads what the index lacks.
type recallReading struct {
	look
	ctx   context.Context
	now   func() time.Time // also where the time of the board is another
	mask  *secret.Mask
	heads map[string]string
	to    *recall.Change

	progress func(string, ...any)
	entered  int
	anew     bool  // this process enters everything, and so hides what it knows
	removals int64 // of the index, when it was asked last
}

// manyEntered is how many entries take so long, a second or more, that people are told.
const manyEntered = 5000

func (r *recallReading) add(e recall.Entry) {
	if r.entered++; r.entered == manyEntered {
		r.progress("indexing all that was said, which is done once")
	}
	e.Title, e.Text = r.mask.String(e.Title), r.mask.String(e.Text)
	r.to.Add(e)
}

// recallLock is shared by those who have the index open, and held alone by one that takes it
// away: SQLite would mix the files of the old one and of a new one. The last one that did so
// is its first line, and it grows each time.
const recallLock = "recall.lock"

// recallWait is how long others are waited for that have the index and do not change it: who
// enters a lot writes all the time, and one that is stopped would keep every recall waiting.
const recallWait = 10 * time.Second

// A changeWatch looks whether anybody changes the index in a file.
type changeWatch struct {
	path, stamp string
	since       time.Time // when it had the stamp first
}

func (r *recallReading) watch(path string) *changeWatch {
	return &changeWatch{path, recall.Stamp(path), r.now()}
}

// isOver reports whether the index has not changed for longer than others are waited for.
func (w *changeWatch) isOver(now time.Time) bool {
	if stamp := recall.Stamp(w.path); stamp != w.stamp {
		w.stamp, w.since = stamp, now
	}
	return now.Sub(w.since) > recallWait
}

// ask asks the index of the clone. One that is damaged or has a secret is made anew; if it
// cannot be written, one in memory answers, and kept says why.
func (r *recallReading) ask(query, source string, limit int) (hits []recall.Hit, kept, err error) {
	path := filepath.Join(r.Repo.CommonDir(), layout.Private, "recall-"+strconv.Itoa(recall.Version)+".db")
	for range 3 { // another process may make it anew, without what this one has to hide
		hits, kept = r.askFile(path, query, source, limit)
		if !recall.IsDamaged(kept) && !errors.Is(kept, errTells) {
			break
		}
		if err := r.remove(path); err != nil {
			kept = errors.Join(kept, err)
			break
		}
	}
	switch {
	case kept == nil:
		return hits, nil, nil
	case !recall.IsDamaged(kept) && !recall.IsUnwritable(kept) && !isFileError(kept) && !errors.Is(kept, errTells):
		return nil, nil, kept
	}
	hits, err = r.askIn("", query, source, limit)
	return hits, kept, err
}

var errHeld = errors.New("another process has it, and has not changed the index for ten seconds")

// lock opens recallLock and waits for it, shared or alone, until the watch is over. The
// error is then one of the file.
func (r *recallReading) lock(watch *changeWatch, alone bool) (*os.File, error) {
	lock, err := git.OpenLock(r.Repo.CommonDir(), recallLock)
	if err != nil {
		return nil, err
	}
	try := git.TryShareLock
	if alone {
		try = git.TryLock
	}
	began, told := watch.since, false
	for {
		err := try(lock)
		if err == nil {
			return lock, nil
		}
		now := r.now()
		switch {
		case !errors.Is(err, syscall.EWOULDBLOCK):
			err = &os.PathError{Op: "lock", Path: lock.Name(), Err: err}
		case watch.isOver(now):
			err = &os.PathError{Op: "lock", Path: lock.Name(), Err: errHeld}
		default:
			err = git.Wait(r.ctx, git.TurnPause)
		}
		if err != nil {
			lock.Close()
			return nil, err
		}
		if !told && now.Sub(began) >= longHeld {
			told = true
			r.progress("%s", lockWait(lock, alone))
		}
	}
}

// longHeld is how long recallLock is waited for before it is said. Who has it alone deletes
// some files, and who shares it asks a question.
const longHeld = 3 * time.Second

// lockWait says for whom a process waits that wants recallLock.
func lockWait(lock *os.File, alone bool) string {
	if alone {
		return "other processes have the index open, which is to be made anew, and this one waits for them"
	}
	if _, line := git.ReadHolder(lock.Name(), "takes the index away"); line != "" {
		return line
	}
	return "another process takes the index away, and this one waits for it"
}

// askFile asks the index in a file. While another process enters what this one would enter,
// it waits, as long as that one changes the index.
func (r *recallReading) askFile(path, query, source string, limit int) ([]recall.Hit, error) {
	watch := r.watch(path)
	lock, err := r.lock(watch, false)
	if err != nil {
		return nil, err
	}
	defer git.Unlock(lock)
	info, err := lock.Stat()
	if err != nil {
		return nil, err
	}
	r.removals = info.Size()
	for told := false; ; told = true {
		hits, err := r.askIn(path, query, source, limit)
		if !recall.IsBusy(err) || watch.isOver(r.now()) {
			return hits, err
		}
		if !told {
			r.progress("another process is indexing what was said, and this one waits for it")
		}
		if err := git.Wait(r.ctx, git.TurnPause); err != nil {
			return nil, err
		}
	}
}

// remove takes the index away, unless another process did so since it was asked.
func (r *recallReading) remove(path string) error {
	lock, err := r.lock(r.watch(path), true)
	if err != nil {
		return err
	}
	defer git.Unlock(lock)
	info, err := lock.Stat()
	if err != nil || info.Size() != r.removals {
		return err
	}
	git.MarkHolder(lock)
	if _, err = lock.Seek(0, io.SeekEnd); err == nil {
		_, err = lock.WriteString("\n")
	}
	return errors.Join(err, recall.Remove(path))
}

// isFileError reports whether the system refused a file.
func isFileError(err error) bool {
	var file *os.PathError
	return errors.As(err, &file)
}

func (r *recallReading) askIn(path, query, source string, limit int) ([]recall.Hit, error) {
	x, err := recall.Open(path)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if r.heads, err = x.Heads(); err != nil {
		return nil, err
	}
	r.anew = false
	if err := r.update(x); err != nil {
		return nil, err
	}
	hits, err := x.Search(query, source, limit)
	if err == nil && !r.anew && slices.ContainsFunc(hits, r.tells) {
		err = errTells
	}
	return hits, err
}

// errTells says that an index has a secret which this process knows and the one that
// entered it did not, such as the value of a variable. An excerpt may have only a part of
// it, which nobody would know as one, and so the index is made anew.
var errTells = errors.New("the index has a secret")

func (r *recallReading) tells(h recall.Hit) bool {
	return r.mask.String(h.Title) != h.Title || r.mask.String(h.Text) != h.Text
}

// update enters what was said since the index was last asked. Nothing is written if
// there is nothing new.
func (r *recallReading) update(x *recall.Index) error {
	if sessions, err := r.Repo.Refs.List(r.ctx, layout.SessionRefs); err != nil || r.isCurrent(sessions) {
		return err
	}
	return x.Change(func(c *recall.Change) (err error) {
		r.to = c
		// Another process may have entered all of that, and more, while this one waited.
		if r.heads, err = c.Heads(); err != nil {
			return err
		}
		r.anew = len(r.heads) == 0
		if r.Board, r.Tip, err = r.Store.Board(r.ctx); err != nil {
			return err
		}
		sessions, err := r.Repo.Refs.List(r.ctx, layout.SessionRefs)
		if err != nil || r.isCurrent(sessions) {
			return err
		}
		if err := r.readMoves(); err != nil {
			return err
		}
		if err := r.readSessions(r.sessionHeads(), sessions); err != nil {
			return err
		}
		return r.readFiles(r.Board.Settings().Integration.Tip)
	})
}

// isCurrent reports whether the index has all that the refs have.
func (r *recallReading) isCurrent(sessions map[string]git.ID) bool {
	return maps.Equal(r.sessionHeads(), sessions) && r.heads[movesSource] == string(r.Tip) && r.heads[filesSource] == string(r.Board.Settings().Integration.Tip)
}

// sessionHeads are the sessions that the index has, as refs name them.
func (r *recallReading) sessionHeads() map[string]git.ID {
	was := map[string]git.ID{}
	for name, value := range r.heads {
		if strings.HasPrefix(name, layout.SessionRefs) {
			was[name] = git.ID(value)
		}
	}
	return was
}

// follows reports whether a ref only grew since a commit, which need not be there any more.
func (r *recallReading) follows(head, tip git.ID) (bool, error) {
	grew, err := r.Repo.IsAncestor(r.ctx, head, tip)
	if err != nil && r.ctx.Err() == nil {
		return false, nil
	}
	return grew, err
}

// readMoves enters the moves since the last reading, and all of them if the chain is another.
func (r *recallReading) readMoves() error {
	head := git.ID(r.heads[movesSource])
	if head == r.Tip {
		return nil
	}
	if head != "" {
		grew, err := r.follows(head, r.Tip)
		if err != nil {
			return err
		}
		if !grew {
			r.to.Drop(movesSource, "")
			head = ""
		}
	}
	err := r.Store.Log(r.Tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == head {
			return false, nil
		}
		r.add(recall.Entry{Source: movesSource, ID: string(e.Commit), Task: string(e.Move.Task), At: e.Move.At,
			Title: plaintext.Line(e.Move.Subject()), Text: strings.Join(wordsOf(e.Move), "\n")})
		return true, r.ctx.Err()
	})
	r.to.SetHead(movesSource, string(r.Tip))
	return err
}

// wordsOf are the texts of a move, each once, but not ids of objects.
func wordsOf(m flow.Move) (list []string) {
	for _, text := range flow.TextsOf(m.Detail) {
		var id git.ID
		if !slices.Contains(list, text) && id.UnmarshalText([]byte(text)) != nil {
			list = append(list, text)
		}
	}
	return list
}

// readSessions enters the sessions that were kept since the last reading. Where a chain of
// sessions is another one, since some were pruned, all are entered anew.
func (r *recallReading) readSessions(was, is map[string]git.ID) error {
	if maps.Equal(was, is) {
		return nil
	}
	for ref, head := range was {
		grew := false
		if tip, ok := is[ref]; ok {
			var err error
			if grew, err = r.follows(head, tip); err != nil {
				return err
			}
		}
		if !grew {
			r.to.Drop(sessionsSource, "")
			for ref := range was {
				r.to.SetHead(ref, "")
			}
			was = nil
			break
		}
	}
	for ref, tip := range is {
		args := []string{string(tip)}
		if head := was[ref]; head == tip {
			continue
		} else if head != "" {
			args = append(args, "^"+string(head))
		}
		err := git.VisitCommits(r.ctx, r.Repo, append(args, "--"), func(id git.ID) (bool, error) { return true, r.readSession(id) })
		if err != nil {
			return err
		}
		r.to.SetHead(ref, string(tip))
	}
	return nil
}

// mostSaid bounds what is indexed of a session: the end of what was printed.
const mostSaid = 64 << 10

func (r *recallReading) readSession(id git.ID) error {
	rec, _, output, err := gitstore.Session(r.ctx, r.Repo, id)
	if err != nil {
		return r.ctx.Err() // an unreadable one says nothing
	}
	said := readable(rec.Format, output)
	if n := len(said) - mostSaid; n > 0 {
		said = strings.ToValidUTF8(said[n:], "")
	}
	title := strings.Join(strings.Fields(strings.Join([]string{"session of", string(rec.Agent), string(rec.Task), rec.Outcome}, " ")), " ")
	r.add(recall.Entry{Source: sessionsSource, ID: string(id), Task: string(rec.Task), At: rec.Ended, Title: title,
		Text: strings.TrimSpace(rec.Error + "\n" + rec.Ending + "\n" + said)})
	return nil
}

// readFiles enters the specs and artifacts on integration that changed since the last reading.
func (r *recallReading) readFiles(integration git.ID) error {
	if r.heads[filesSource] == string(integration) {
		return nil
	}
	files, err := work.OpenTextFiles(r.ctx, r.Clone, integration)
	if err != nil {
		return err
	}
	d, err := readDefinitions(r.ctx, r.Clone)
	if err != nil {
		return err
	}
	folders := d.folders()
	if !slices.Contains(folders, "") { // which is every file
		folders = append(folders, lesson.Folder)
	}
	paths, err := files.List(r.ctx, folders...)
	if err != nil {
		return err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return d.at(path).kind == "" && !strings.HasPrefix(path, lesson.Folder+"/") })
	for _, text := range r.Board.Texts() {
		paths = append(paths, text.Path)
	}
	slices.Sort(paths)
	there := map[string]bool{}
	for _, path := range slices.Compact(paths) {
		data, why, err := files.Read(path, mostRecalledFile)
		if err != nil {
			return err
		}
		if why != "" || len(data) > mostRecalledFile || slices.Contains(data, 0) {
			continue
		}
		there[path] = true
		r.readFile(path, data)
	}
	for name := range r.heads {
		if path, ok := strings.CutPrefix(name, filesSource+" "); ok && !there[path] {
			r.dropFile(path)
			r.to.SetHead(name, "")
		}
	}
	r.to.SetHead(filesSource, string(integration))
	return nil
}

// mostRecalledFile bounds a file that is indexed, in bytes.
const mostRecalledFile = 1 << 20

func (r *recallReading) dropFile(path string) { r.to.Drop(filesSource, path+":") }

// readFile enters a file by its sections, from heading to heading, if it changed.
func (r *recallReading) readFile(path string, data []byte) {
	sum := sha256.Sum256(data)
	name, value := filesSource+" "+path, hex.EncodeToString(sum[:])
	if r.heads[name] == value {
		return
	}
	r.dropFile(path)
	r.to.SetHead(name, value)
	var section strings.Builder
	heading, from := "", 1
	add := func() {
		if text := strings.TrimSpace(section.String()); text != "" {
			r.add(recall.Entry{Source: filesSource, ID: path + ":" + strconv.Itoa(from), Title: strings.TrimSpace(path + " " + heading), Text: flow.Clean(text)})
		}
		section.Reset()
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if strings.HasPrefix(line, "#") {
			add()
			heading, from = strings.TrimSpace(strings.TrimLeft(line, "#")), number
			continue
		}
		section.WriteString(line)
	}
	add()
}
