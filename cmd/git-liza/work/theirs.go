package work

import (
	"context"
	"errors"
	"strings"

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
// [gitstore.Mirror.Theirs] does, brings the integration branch along, and says
// what is left here of the tasks whose moves were given up. A branch that cannot
// come now is in Behind.
func (c *Clone) Theirs(ctx context.Context, remote string) (gitstore.GivenUp, []Left, error) {
	done, err := c.Store.Mirror.TakeTheirs(ctx, remote)
	if err == nil {
		err = c.ignore()
	}
	if err != nil {
		return done, nil, err
	}
	if gone, err := c.merelyOurs(ctx); err != nil {
		return done, nil, err
	} else if gone {
		_, done.Behind = c.Restore(ctx)
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return done, nil, err
	}
	var list []Left
	for _, id := range done.Tasks {
		left, err := c.left(ctx, b, id)
		if err != nil {
			return done, nil, err
		}
		list = append(list, left)
	}
	return done, list, nil
}

// merelyOurs reports whether the integration branch stands where moves brought
// it that were given up.
func (c *Clone) merelyOurs(ctx context.Context) (bool, error) {
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return false, err
	}
	want := b.Settings().Integration
	now, err := c.Repo.Resolve(ctx, "refs/heads/"+want.Name)
	if err != nil || now == "" || now == want.Tip {
		return false, err
	}
	refs, err := c.Repo.Refs(ctx, "refs/liza/rescue")
	if err != nil {
		return false, err
	}
	for name, tip := range refs {
		if !strings.HasPrefix(name, gitstore.LostRefs) || !strings.HasSuffix(name, "/integration") {
			continue
		}
		if behind, err := c.Repo.IsAncestor(ctx, now, tip); err != nil || behind {
			return behind, err
		}
	}
	return false, nil
}

func (c *Clone) left(ctx context.Context, b *flow.Board, id flow.TaskID) (Left, error) {
	left := Left{Task: id}
	if t := b.Task(id); t != nil {
		left.Status = t.Status
	}
	tip, err := c.Repo.Resolve(ctx, "refs/heads/"+id.Branch())
	if err != nil || tip == "" {
		return left, errors.Join(err, b.Err())
	}
	left.Branch, left.Tip = id.Branch(), tip
	if c.Trees == nil {
		return left, b.Err()
	}
	trees, err := c.Trees.List(ctx)
	for _, tree := range trees {
		if tree.Branch == left.Branch {
			left.Worktree = tree.Path
		}
	}
	return left, errors.Join(err, b.Err())
}
