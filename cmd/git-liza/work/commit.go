package work

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Commit commits everything in a checkout of a task, new files too, for who may
// not or cannot: the environment says who the author is. There need be nothing to
// commit. It is refused where the checkout is not on the task's branch, where a
// repository lies inside, and where git or a hook refuses.
func (c *Clone) Commit(ctx context.Context, id flow.TaskID, dir, message string, environ []string) error {
	status, err := c.Trees.Status(ctx, dir)
	if err != nil {
		return err
	}
	if branch := id.Branch(); status.Branch != branch {
		return &flow.Refusal{Rule: flow.RuleBranch, Hint: "git checkout " + branch,
			Reason: fmt.Sprintf("the worktree is not on the branch %s but on %q, so nothing was committed", branch, status.Branch)}
	}
	err = c.Trees.Commit(ctx, dir, message, environ)
	var nested *worktrees.Obstacle
	if errors.As(err, &nested) {
		return NotOurs(nested)
	}
	var failed *git.Error
	if errors.As(err, &failed) {
		return &flow.Refusal{Rule: flow.RuleCommit, Reason: "the worktree could not be committed: " + failed.Error(), Hint: "git status"}
	}
	return err
}
