package work

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// errNotDue ends the build of an automatic move that the board does not ask for.
var errNotDue = errors.New("the board does not ask for the move")

// MakeDue makes one of the board's [flow.DueMoves] if the board that it is built for
// still asks for it: after a lost race it is judged again. made is false if somebody
// else was faster, or the board has moved past it; nothing was written then.
func (c *Clone) MakeDue(ctx context.Context, due flow.Move) (r gitstore.Result, made bool, err error) {
	r, err = c.Store.Do(ctx, func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		for _, now := range flow.DueMoves(b, at, due.Goal) {
			if now.Judges(due) {
				m := c.Caller.Move(now.Act, "", now.Detail)
				m.Goal = now.Goal
				return m, nil, b.Err()
			}
		}
		if err := b.Err(); err != nil {
			return flow.Move{}, nil, err
		}
		return flow.Move{}, nil, errNotDue
	})
	if errors.Is(err, errNotDue) {
		return r, false, nil
	}
	return r, err == nil && !r.Already, err
}
