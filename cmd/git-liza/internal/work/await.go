package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A StillWaiting reports that the time limit passed without an answer. It
// wraps context.DeadlineExceeded.
type StillWaiting struct {
	Task   board.TaskID
	Status board.Status
	Limit  time.Duration
}

// Error names the task, its state and the limit.
func (w *StillWaiting) Error() string {
	return fmt.Sprintf("%s is still %s after %s", w.Task, w.Status, board.Duration(w.Limit))
}

// Unwrap returns context.DeadlineExceeded.
func (w *StillWaiting) Unwrap() error { return context.DeadlineExceeded }

// The intervals at which a remote is asked while an agent waits.
const (
	awaitPoll    = time.Second
	maxAwaitPoll = 30 * time.Second
)

// sayAwait is how often a waiting caller hears that the wait continues: less
// than what clients and supervisors take for silence.
const sayAwait = 20 * time.Second

// Await waits until the task leaves the states of the wait, or another
// submission replaces the current one, and returns the board. If the awaited
// event cannot happen, the error is a *flow.Refusal at once; after the limit it
// is a *StillWaiting. While an agent waits, [Awaiting] reports true. tell is
// called when the wait begins, and regularly while it lasts.
func (c *Clone) Await(ctx context.Context, id board.TaskID, what flow.Wait, limit time.Duration, tell func(*board.Task, time.Duration)) (*board.Board, error) {
	var begun, now *board.Task
	b, over, err := c.await(ctx, limit, func(b *board.Board) (bool, error) {
		if begun == nil {
			over, refusal := flow.WaitOver(b, what, id, c.By)
			switch {
			case b.Err() != nil:
				return false, b.Err()
			case refusal != nil:
				return false, refusal
			}
			begun = b.Task(id)
			now = begun
			return over, nil
		}
		if now = b.Task(id); b.Err() != nil || now == nil {
			return false, b.Err()
		}
		return what.Ended(begun, now), nil
	}, func(left time.Duration) { tell(now, left) })
	if err == nil && !over {
		err = &StillWaiting{now.ID, now.Status, limit}
	}
	return b, err
}

// AwaitAnswer waits until a question is closed, and returns it as it is then or after the
// limit: still open. tell is called as [Clone.Await] calls it.
func AwaitAnswer(ctx context.Context, c *Clone, id board.RecordID, limit time.Duration, tell func(time.Duration)) (q *board.Question, err error) {
	_, _, err = c.await(ctx, limit, func(b *board.Board) (bool, error) {
		q, _ = b.Load(board.Key{Folder: board.Questions, ID: string(id)}).(*board.Question)
		if q == nil {
			return false, cmp.Or(b.Err(), error(flow.CheckOpen(b, id)))
		}
		return !q.IsOpen(), b.Err()
	}, tell)
	return q, err
}

// FollowTip watches the tip of the board and keeps the mirror of a remote up to date
// until ctx is done.
func (c *Clone) FollowTip(ctx context.Context) (*View, error) {
	view := Watch(ctx, c.Repo)
	return view, keepMirror(ctx, c, view, func(error) {})
}

// keepMirror keeps the mirror of a remote that holds the board up to date until ctx is
// done. told gets, in another goroutine, what came of each sync.
func keepMirror(ctx context.Context, c *Clone, view *View, told func(error)) error {
	remote, err := c.Store.Authority(ctx)
	if err != nil || remote == "" {
		return err
	}
	other, err := c.As(ctx, c.By, c.Generation)
	if err != nil {
		return err
	}
	go view.Poll(ctx, awaitPoll, maxAwaitPoll, func() bool {
		synced, err := other.Store.Mirror.Sync(ctx)
		told(err)
		return err == nil && synced.Before != synced.After
	})
	return nil
}

// await reads the board whenever it changes until it is over, or to the limit. Agents that
// wait are known to their supervisors.
func (c *Clone) await(ctx context.Context, limit time.Duration, isOver func(*board.Board) (bool, error), tell func(time.Duration)) (*board.Board, bool, error) {
	if agent := c.By.Agent(); agent != "" {
		release, err := holdWait(c.Repo.CommonDir(), agent)
		if err != nil {
			return nil, false, err
		}
		defer release()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	view, err := c.FollowTip(ctx)
	if err != nil {
		return nil, false, err
	}
	b, err := c.Fresh(ctx)
	if errors.Is(err, gitstore.ErrOffline) {
		b, _, err = c.Store.Board(ctx) // offline, the local board serves until the poll reaches the remote
	}
	if err != nil {
		return nil, false, err
	}
	over, err := isOver(b)
	if over || err != nil {
		return b, over, err
	}
	end := time.Now().Add(limit)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	say := time.NewTicker(sayAwait)
	defer say.Stop()
	for told := false; ; {
		_, changed := view.Now()
		if b, _, err = c.Store.Board(ctx); err != nil {
			return nil, false, err
		}
		if over, err := isOver(b); over || err != nil {
			return b, over, err
		}
		if !told {
			tell(limit)
			told = true
		}
		select {
		case <-changed:
		case <-say.C:
			tell(time.Until(end))
		case <-timer.C:
			return b, false, nil
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// Awaiting reports whether an agent waits inside its session, in any process
// that shares the git directory. A supervisor does not end a session that
// waits. An error counts as no, so that no session lasts forever.
func Awaiting(commonDir string, agent board.AgentID) bool {
	f, err := os.OpenFile(awaitPath(commonDir, agent), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer git.Unlock(f)
	return errors.Is(git.TryLock(f), syscall.EWOULDBLOCK)
}

// awaitPath returns the file whose kernel lock an agent holds while it waits.
// The lock ends with its holder; the file stays.
func awaitPath(commonDir string, agent board.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "await", string(agent))
}

// holdWait marks an agent as waiting until release is called. The lock is
// shared: an agent with two waits counts as waiting until both end.
func holdWait(commonDir string, agent board.AgentID) (release func(), err error) {
	if release, err = holdShared(commonDir, filepath.Join("await", string(agent))); err != nil {
		return nil, fmt.Errorf("wait of %s: %w", agent, err)
	}
	return release, nil
}
