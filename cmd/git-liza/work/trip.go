package work

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Trip trips the circuit breaker if the board that the move is built for has a pattern
// with a record newer than the last reset: after a lost race it is judged again. made is
// false if there is none, or somebody else was faster; nothing was written then.
func (c *Clone) Trip(ctx context.Context) (made bool, err error) {
	r, err := c.Store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		trip := breaker.Trip(b)
		if err := b.Err(); err != nil {
			return flow.Move{}, nil, err
		}
		if trip == nil {
			return flow.Move{}, nil, errNotDue
		}
		return c.Caller.Move(flow.ActTrip, "", trip), nil, nil
	})
	if errors.Is(err, errNotDue) {
		return false, nil
	}
	return err == nil && !r.Already, err
}
