package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A StillWaiting reports that the time limit passed without an answer. It
// wraps context.DeadlineExceeded.
type StillWaiting struct {
	Task   flow.TaskID
	Status flow.Status
	Limit  time.Duration
}

// Error names the task, its state and the limit.
func (w *StillWaiting) Error() string {
	return fmt.Sprintf("%s is still %s after %s", w.Task, w.Status, flow.Duration(w.Limit))
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
func (c *Clone) Await(ctx context.Context, id flow.TaskID, what flow.Wait, limit time.Duration, tell func(*flow.Task, time.Duration)) (*flow.Board, error) {
	if agent := c.By.Agent(); agent != "" {
		release, err := holdWait(c.Repo.CommonDir(), agent)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	view, err := c.FollowTip(ctx)
	if err != nil {
		return nil, err
	}
	b, err := c.Fresh(ctx)
	if errors.Is(err, gitstore.ErrOffline) {
		b, _, err = c.Store.Board(ctx) // offline, the local board serves until the poll reaches the remote
	}
	if err != nil {
		return nil, err
	}
	over, refusal := b.Over(what, id, c.By)
	switch {
	case b.Err() != nil:
		return b, b.Err()
	case refusal != nil:
		return b, refusal
	case over:
		return b, nil
	}
	return c.awaitEvent(ctx, view, awaited{b.Task(id), what, limit, tell})
}

// An awaited event is one that an agent waits for, see [Clone.Await].
type awaited struct {
	begun *flow.Task // as it was when the wait began
	what  flow.Wait
	limit time.Duration
	tell  func(*flow.Task, time.Duration)
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

// awaitEvent reads the board whenever it changes.
func (c *Clone) awaitEvent(ctx context.Context, view *View, a awaited) (*flow.Board, error) {
	end := time.Now().Add(a.limit)
	timer := time.NewTimer(a.limit)
	defer timer.Stop()
	say := time.NewTicker(sayAwait)
	defer say.Stop()
	for told := false; ; {
		_, changed := view.Now()
		b, _, err := c.Store.Board(ctx)
		if err != nil {
			return nil, err
		}
		t := b.Task(a.begun.ID)
		if b.Err() != nil || t == nil {
			return nil, b.Err()
		}
		if a.what.Ended(a.begun, t) {
			return b, nil
		}
		if !told {
			a.tell(t, a.limit)
			told = true
		}
		select {
		case <-changed:
		case <-say.C:
			a.tell(t, time.Until(end))
		case <-timer.C:
			return nil, &StillWaiting{t.ID, t.Status, a.limit}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
