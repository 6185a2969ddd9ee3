package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
)

// ErrRefMoved is wrapped by MoveRefs when a ref was not where the caller had
// seen it: somebody else won. The store tests it to build its move again.
var ErrRefMoved = errors.New("a ref has moved")

// ErrUnsynced is wrapped by MoveRefs when all refs have moved, and the disk did
// not confirm that they stay there after a power cut. The command line tests it
// for its rule.
var ErrUnsynced = errors.New("the move is made, but the disk has not confirmed it")

// LockArgs are options of git itself that say how long it waits for the locks of
// others, in milliseconds. The list is the caller's to append to.
func LockArgs() []string {
	return []string{"-c", "core.filesRefLockTimeout=2000", "-c", "core.packedRefsTimeout=5000", "-c", "reftable.lockTimeout=5000"}
}

// youngLock is longer than a lock file without content has to be there until it counts as
// left over, and shorter than git waits for the lock of somebody else, see [LockArgs].
const youngLock = emptyAge + 200*time.Millisecond

// A RefUpdate moves the ref Name from Old to New. Old "" says that the ref must
// not exist, New "" deletes it, both the same only checks. With Any the ref may
// be anywhere before.
type RefUpdate struct {
	Name     string
	Old, New ID `json:",omitempty"`
	Any      bool
}

// MoveRefs moves all refs, in the order given, in one transaction of one
// `git update-ref`, with message in their reflogs. Nothing else moves a ref.
// What the refs lead to is durable before, and the move when the call returns,
// as liza.fsync says.
//
// Errors wrap ErrRefMoved, ErrRefLocked, ErrDamaged or ErrUnsynced, or are a *Error, for example when
// a hook refused; no ref has moved then, unless the error says so. A process
// that is killed inside can leave the first refs moved and the others not, and
// locks: the next MoveRefs, or Recover, clears the locks, and the caller goes
// by the first ref.
func (s *RefStore) MoveRefs(ctx context.Context, updates []RefUpdate, message string) error {
	if len(updates) == 0 {
		return nil
	}
	for _, u := range updates {
		if err := s.checkUpdate(u); err != nil {
			return err
		}
	}
	brought, old := s.repo.Flusher.updatedCommits(ctx, updates)
	if err := s.repo.Flusher.MakeDurable(ctx, brought...); err != nil {
		return err
	}
	if err := s.repo.Flusher.MakeDurable(ctx, old...); err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if err := s.repo.Journal.Recover(ctx); err != nil {
		return err
	}
	for {
		began := time.Now()
		err := s.updateRefs(ctx, updates, message)
		if err == nil {
			LearnGit(ctx, s.repo)
		}
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrUnsynced) {
			return err
		}
		err = s.explainFailure(ctx, updates, err)
		if !errors.Is(err, ErrRefLocked) {
			return err
		}
		// The lock may be one of a dead process of ours that was too young before.
		cleared, recoverErr := s.repo.Journal.recover()
		if recoverErr == nil && cleared == 0 && time.Since(began) < youngLock {
			// git waits longer for a lock of others: this one it left itself, when it was killed.
			if err := Wait(ctx, youngLock); err != nil {
				return err
			}
			cleared, recoverErr = s.repo.Journal.recover()
		}
		if recoverErr != nil || cleared == 0 {
			return err
		}
	}
}

func (s *RefStore) checkUpdate(u RefUpdate) error {
	if err := checkRefName(u.Name); err != nil {
		return err
	}
	if u.New == "" && u.Old == "" && !u.Any {
		return fmt.Errorf("ref %s: neither an old nor a new value", u.Name)
	}
	for _, id := range []ID{u.Old, u.New} {
		if id == "" {
			continue
		}
		if err := s.repo.CheckID(id); err != nil {
			return fmt.Errorf("ref %s: %w", u.Name, err)
		}
	}
	return nil
}

// transactionLines renders one update for `git update-ref --stdin -z`, where an
// empty old value is not checked and a zero one must not exist. If a session has made
// a ref symbolic, git replaces it and does not write to the ref that it names.
func (s *RefStore) transactionLines(u RefUpdate) string {
	old := u.Old
	switch {
	case u.Any:
		old = ""
	case old == "":
		old = s.repo.zero()
	}
	if u.New == "" {
		return fmt.Sprintf("option no-deref\x00delete %s\x00%s\x00", u.Name, old)
	}
	return fmt.Sprintf("option no-deref\x00update %s\x00%s\x00%s\x00", u.Name, u.New, old)
}

// updateRefs drives one transaction step by step, with the journal beside it.
func (s *RefStore) updateRefs(ctx context.Context, updates []RefUpdate, message string) (err error) {
	mode, err := s.repo.Flusher.FsyncMode(ctx)
	if err != nil {
		return err
	}
	entry, err := s.repo.Journal.open(ctx, Leftovers{Locks: s.LockFiles(updates)})
	if err != nil {
		return err
	}
	defer func() { entry.close(err) }()
	judged := s.judged(updates)
	unhooked := s.passesUnasked(ctx, updates, judged)
	args := updateArgs(s.repo.commonDir, updates, mode, message, unhooked)
	p := s.repo.process(ctx, Cmd{Args: args, Env: []string{judged}})
	defer p.cancel()
	p.ExtraFiles = []*os.File{entry.file} // the entry stays locked while git lives
	in, err := p.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return err
	}
	started := time.Now()
	if err := p.Start(); err != nil {
		return p.wrapFailure(err)
	}
	var lines strings.Builder
	for _, u := range updates {
		lines.WriteString(s.transactionLines(u))
	}
	talkErr := s.transact(in, bufio.NewReader(out), lines.String(), entry)
	in.Close()
	err = p.wrapFailure(p.Wait())
	trace(args, started, err)
	if err = cmp.Or(err, talkErr); err != nil {
		return err
	}
	return entry.syncMovedRefs()
}

// updateArgs are the arguments of the git process that makes a transaction in a git
// directory; mode is liza.fsync.
func updateArgs(gitDir string, updates []RefUpdate, mode, message string, unhooked bool) []string {
	args := append([]string{"--git-dir=" + gitDir}, LockArgs()...)
	if unhooked {
		args = append(args, "-c", "core.hooksPath="+os.DevNull)
	}
	args = append(append(args, fsyncArgs(mode, "reference")...), "update-ref", "--stdin", "-z", "-m", oneLine(message))
	for _, u := range updates {
		if u.Name == layout.State && u.Old == "" && !u.Any {
			args = append(args, "--create-reflog")
		}
	}
	return args
}

// transact speaks the protocol of `git update-ref --stdin`; lines are the updates.
func (s *RefStore) transact(in io.Writer, out *bufio.Reader, lines string, entry *journalEntry) error {
	if _, err := io.WriteString(in, "start\x00"+lines+"prepare\x00"); err != nil {
		return err
	}
	for _, step := range []string{"start", "prepare"} {
		if err := expectReply(out, step); err != nil {
			return err
		}
	}
	if err := entry.recordLocks(); err != nil {
		return err
	}
	if _, err := io.WriteString(in, "commit\x00"); err != nil {
		return err
	}
	return expectReply(out, "commit")
}

func expectReply(out *bufio.Reader, step string) error {
	line, err := out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("git update-ref ended before %s: %w", step, err)
	}
	if line != step+": ok\n" {
		return fmt.Errorf("git update-ref answered %q to %s", line, step)
	}
	return nil
}

// explainFailure finds out, by looking and not by git's words, why a transaction
// failed with cause.
func (s *RefStore) explainFailure(ctx context.Context, updates []RefUpdate, cause error) error {
	var moved, done []string
	for _, u := range updates {
		now, err := s.Resolve(ctx, u.Name)
		switch {
		case err != nil:
			return fmt.Errorf("%w (after %w)", err, cause)
		case now == u.New && !(u.Any || u.Old == u.New):
			done = append(done, u.Name)
		case !u.Any && now != u.Old:
			moved = append(moved, fmt.Sprintf("%s is at %s, not at %s", u.Name, ShortOrNone(now), ShortOrNone(u.Old)))
		}
	}
	locked := s.repo.Journal.foreignLock(s.LockFiles(updates))
	switch {
	case len(moved) > 0:
		return fmt.Errorf("%w: %s", ErrRefMoved, strings.Join(moved, ", "))
	case len(done) > 0:
		// Either our own commit got so far, or somebody made the same change.
		return fmt.Errorf("%w: %s already there: %w", ErrRefMoved, strings.Join(done, ", "), cause)
	case locked != nil:
		return locked
	}
	return cause
}

// ShortOrNone is an id as people read it, or "none".
func ShortOrNone(id ID) string { return cmp.Or(id, "none").Short() }

// oneLine is a message as a reflog can hold it.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }
