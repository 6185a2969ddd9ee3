package work

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/gitstore/git"
)

// errNotDue ends the build of an automatic move that the board does not ask for.
var errNotDue = errors.New("the board does not ask for the move")

// MakeDue makes one of the board's [flow.DueMoves] if the board that it is built for
// still asks for it: after a lost race it is judged again. made is false if somebody
// else was faster, or the board has moved past it; nothing was written then.
func (c *Clone) MakeDue(ctx context.Context, due flow.Move) (made bool, err error) {
	return c.makeIfDue(ctx, func(b *flow.Board, at time.Time) (flow.Move, bool) {
		for _, now := range flow.DueMoves(b, at, due.Goal) {
			if now.Judges(due) {
				m := c.Caller.Move(now.Act, "", now.Detail)
				m.Goal = now.Goal
				return m, true
			}
		}
		return flow.Move{}, false
	})
}

// Trip trips the circuit breaker if the board that the move is built for has a pattern
// with a record newer than the last reset: after a lost race it is judged again. made is
// false if there is none, or somebody else was faster; nothing was written then.
func (c *Clone) Trip(ctx context.Context) (made bool, err error) {
	return c.makeIfDue(ctx, func(b *flow.Board, _ time.Time) (flow.Move, bool) {
		trip := breaker.Trip(b)
		return c.Caller.Move(flow.ActTrip, "", trip), trip != nil
	})
}

// makeIfDue makes the move that find returns for the board that it is built for, if the
// board asks for one.
func (c *Clone) makeIfDue(ctx context.Context, find func(b *flow.Board, at time.Time) (m flow.Move, due bool)) (made bool, err error) {
	r, err := c.Store.Do(ctx, func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		m, due := find(b, at)
		if err := b.Err(); err != nil {
			return flow.Move{}, nil, err
		}
		if !due {
			return flow.Move{}, nil, errNotDue
		}
		return m, nil, nil
	})
	if errors.Is(err, errNotDue) {
		return false, nil
	}
	return err == nil && !r.Already, err
}
