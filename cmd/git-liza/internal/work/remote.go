package work

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A Left is a task whose moves were given up, with what is left of it in this
// clone.
type Left struct {
	Task     board.TaskID   `json:"task"`
	Status   board.Status   `json:"status,omitempty"` // on the board now; absent if the board lacks the task
	Branch   string         `json:"branch,omitempty"` // in this clone, unchanged
	Tip      board.ObjectID `json:"tip,omitempty"`
	Worktree string         `json:"worktree,omitempty"`
}

// Theirs gives up the moves that the remote's board lacks, as
// [gitstore.Mirror.TakeTheirs] does, and moves the integration branch. It returns
// what is left in this clone of the tasks of these moves. A board that has none in common
// with the remote's is put aside, if no remote held it. A branch that cannot
// move now is in Behind.
func (c *Clone) Theirs(ctx context.Context, remote string) (gitstore.GivenUp, []Left, error) {
	_, _, none := c.Store.Board(ctx)
	done, err := c.Store.Mirror.TakeTheirs(ctx, remote)
	kept := ""
	if other, is := errors.AsType[*gitstore.Diverged](err); is && other.Apart {
		if kept, err = c.PutAside(ctx, true); err != nil {
			return done, nil, err
		}
		if done, err = c.Store.Mirror.TakeTheirs(ctx, remote); err != nil {
			return done, nil, fmt.Errorf("%w; the board of this clone is kept (git log %s/state), and its place is free for that of %s", err, kept, remote)
		}
		done.Kept = kept
	}
	if err == nil {
		err = c.Checkouts.ignoreFolder()
	}
	if err != nil {
		return done, nil, err
	}
	if gone, err := c.Integration.isOnLostMoves(ctx); err != nil {
		return done, nil, err
	} else if gone || kept != "" || errors.Is(none, gitstore.ErrNoBoard) {
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
		return synced, c.explainUnreleased(ctx, remote, err)
	}
	return synced, c.Checkouts.ignoreFolder()
}
