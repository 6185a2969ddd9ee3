package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A Wait is what an agent can wait for in its session: in which states of its
// task there is something to wait for, and in which it has come already.
type Wait struct {
	Name  string
	in    []flow.Status
	there []flow.Status
	not   string // what a task in another state needs first
}

// Waits are all there are.
var Waits = []Wait{
	{"verdict", []flow.Status{flow.ReadyForReview}, []flow.Status{flow.Rejected, flow.Approved, flow.Merged, flow.IntegrationFailed},
		"no verdict comes on a task that is not submitted"},
	{"resubmission", []flow.Status{flow.Unclaimed, flow.Claimed, flow.Rejected, flow.IntegrationFailed}, []flow.Status{flow.ReadyForReview},
		"nobody works on it"},
	{"merge", []flow.Status{flow.ReadyForReview, flow.Approved}, []flow.Status{flow.Merged, flow.IntegrationFailed},
		"only what is submitted is merged"},
}

// A StillWaiting says that the time was over before there was an answer. It is
// a context.DeadlineExceeded.
type StillWaiting struct {
	Task   flow.TaskID
	Status flow.Status
	Limit  time.Duration
}

// Error says what the task still is.
func (w *StillWaiting) Error() string {
	return fmt.Sprintf("%s is still %s after %s", w.Task, w.Status, flow.Duration(w.Limit))
}

// Unwrap is the kind of the error.
func (w *StillWaiting) Unwrap() error { return context.DeadlineExceeded }

// How often a remote is asked while an agent waits.
const (
	awaitPoll    = time.Second
	maxAwaitPoll = 30 * time.Second
)

// sayAwait is how often somebody who waits hears that the wait goes on: less
// than what clients and supervisors take for silence.
const sayAwait = 20 * time.Second

// Await waits until the task leaves the states in which it is waited for, or
// another submission takes the place of the one that is there, and returns the
// board. What cannot come is a *flow.Refusal at once; a *StillWaiting says that
// the limit has passed. While an agent waits, [Awaiting] says so. tell hears
// when the wait begins, and now and then that it goes on.
func (c *Clone) Await(ctx context.Context, id flow.TaskID, what Wait, limit time.Duration, tell func(*flow.Task, time.Duration)) (*flow.Board, error) {
	if agent := c.By.Agent(); agent != "" {
		release, err := awaiting(c.Repo.CommonDir(), agent)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	view, err := c.Follow(ctx)
	if err != nil {
		return nil, err
	}
	b, err := c.Fresh(ctx)
	if errors.Is(err, gitstore.ErrOffline) {
		b, _, err = c.Store.Board(ctx) // the poll goes on asking
	}
	if err != nil {
		return nil, err
	}
	over, err := what.over(b, id, c.By)
	if over || err != nil {
		return b, err
	}
	return c.wait(ctx, view, b.Task(id), what, limit, tell)
}

// Follow watches the board, and keeps the mirror of a remote up to date, until
// ctx is done.
func (c *Clone) Follow(ctx context.Context) (*View, error) {
	view := Watch(ctx, c.Repo)
	remote, err := c.Store.Authority(ctx)
	if err != nil || remote == "" {
		return view, err
	}
	other, err := c.As(ctx, c.By, c.Generation)
	if err != nil {
		return nil, err
	}
	go view.Poll(ctx, awaitPoll, maxAwaitPoll, func() bool {
		synced, err := other.Store.Mirror.Sync(ctx)
		return err == nil && synced.Before != synced.After
	})
	return view, nil
}

// over reports whether what is waited for is there when the wait begins, and
// refuses to wait for what does not come.
func (w Wait) over(b *flow.Board, id flow.TaskID, by flow.Actor) (bool, error) {
	t := b.Task(id)
	if err := b.Err(); err != nil {
		return false, err
	}
	show := "git liza show " + string(id)
	switch {
	case t == nil:
		return false, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list", Reason: "there is no task " + string(id)}
	case t.Review != nil && t.Review.By == by && slices.Contains(w.there, t.Status):
		return false, &flow.Refusal{Rule: flow.RuleState, Hint: show, Reason: fmt.Sprintf("%s waits for your own verdict", id)}
	case slices.Contains(w.there, t.Status):
		return true, nil
	case slices.Contains(w.in, t.Status):
		return false, nil
	case t.Status.Final():
		return false, &flow.Refusal{Rule: flow.RuleFinal, Hint: show, Reason: fmt.Sprintf("%s is %s, and nothing leaves a final state: no %s comes", id, t.Status, w.Name)}
	}
	return false, &flow.Refusal{Rule: flow.RuleState, Hint: show, Reason: fmt.Sprintf("%s is %s: %s", id, t.Status, w.not)}
}

// ended reports whether a wait for a task that was as begun is over. The states
// in between may have passed unseen: then it is another submission that waits.
func (w Wait) ended(begun, now *flow.Task) bool {
	return !slices.Contains(w.in, now.Status) || now.Submissions != begun.Submissions
}

// wait looks at the board whenever it changes.
func (c *Clone) wait(ctx context.Context, view *View, begun *flow.Task, what Wait, limit time.Duration, tell func(*flow.Task, time.Duration)) (*flow.Board, error) {
	end := time.Now().Add(limit)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	say := time.NewTicker(sayAwait)
	defer say.Stop()
	for told := false; ; {
		_, changed := view.Now()
		b, _, err := c.Store.Board(ctx)
		if err != nil {
			return nil, err
		}
		t := b.Task(begun.ID)
		if b.Err() != nil || t == nil {
			return nil, b.Err()
		}
		if what.ended(begun, t) {
			return b, nil
		}
		if !told {
			tell(t, limit)
			told = true
		}
		select {
		case <-changed:
		case <-say.C:
			tell(t, time.Until(end))
		case <-timer.C:
			return nil, &StillWaiting{t.ID, t.Status, limit}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
