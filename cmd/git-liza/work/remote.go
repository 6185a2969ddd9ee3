package work

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A Left task is one whose moves were given up, with what is left of it here.
type Left struct {
	Task     flow.TaskID   `json:"task"`
	Status   flow.Status   `json:"status,omitempty"` // on the board now; absent where there is no such task
	Branch   string        `json:"branch,omitempty"` // of this clone, which is as it was
	Tip      flow.ObjectID `json:"tip,omitempty"`
	Worktree string        `json:"worktree,omitempty"`
}

// Theirs follows the remote's board where it went another way, as
// [gitstore.Mirror.TakeTheirs] does, brings the integration branch along, and says
// what is left here of the tasks whose moves were given up. A branch that cannot
// come now is in Behind.
func (c *Clone) Theirs(ctx context.Context, remote string) (gitstore.GivenUp, []Left, error) {
	done, err := c.Store.Mirror.TakeTheirs(ctx, remote)
	if err == nil {
		err = c.Checkouts.ignoreFolder()
	}
	if err != nil {
		return done, nil, err
	}
	if gone, err := c.Integration.isOnLostMoves(ctx); err != nil {
		return done, nil, err
	} else if gone {
		_, done.Behind = c.Integration.Restore(ctx)
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return done, nil, err
	}
	var list []Left
	for _, id := range done.Tasks {
		left, err := c.Checkouts.leftOf(ctx, b, id)
		if err != nil {
			return done, nil, err
		}
		list = append(list, left)
	}
	return done, list, nil
}

// Join makes a remote the authority of this clone, as [gitstore.Mirror.Join]
// does, and keeps .worktrees/ out of the user's status.
func (c *Clone) Join(ctx context.Context, remote string, publish bool) (gitstore.Synced, error) {
	synced, err := c.Store.Mirror.Join(ctx, remote, publish)
	if err != nil {
		return synced, err
	}
	return synced, c.Checkouts.ignoreFolder()
}
