package work

import (
	"context"
	"errors"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// snapshot is [worktrees.Contents.Snapshot] without what the board's never names. It says
// once what is left out: that stays in its folder, see [worktrees.Trees.Retire].
func (c *Checkouts) snapshot(ctx context.Context, path, message string) (flow.ObjectID, error) {
	never, err := c.never(ctx)
	if err != nil {
		return "", err
	}
	commit, err := c.Trees.Contents.Snapshot(ctx, path, message, never)
	if errors.Is(err, worktrees.ErrIncomplete) {
		c.say(err.Error())
		return commit, nil
	}
	return commit, err
}

// never are the paths that no agent of the board changes: what they hold stays on this
// machine.
func (c *Checkouts) never(ctx context.Context) (worktrees.Never, error) {
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	globs := b.Settings().Config.Never
	return func(path string) bool {
		return slices.ContainsFunc(globs, func(glob string) bool { return flow.Match(glob, path) })
	}, b.Err()
}

// say tells people something that they have not been told yet: a move that is built anew
// saves again.
func (c *Checkouts) say(line string) {
	if _, told := c.told.LoadOrStore(line, true); !told && c.repo.Notice != nil {
		c.repo.Notice(line)
	}
}
