package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

type submitCommand struct {
	ID     board.TaskID `arg:"" tool:"The task."`
	Commit string       `tool:"-" placeholder:"SHA" help:"Must be the tip of the task's branch, which is the default."`
}

func (c *submitCommand) Run(inv *invocation, clone *work.Clone) error {
	var commit board.ObjectID
	if c.Commit != "" {
		_, _, err := clone.Store.Board(inv.ctx)
		if err != nil {
			return err
		}
		if commit, err = work.ParseCommit(inv.ctx, clone, c.Commit); err != nil {
			return err
		}
	}
	r, err := clone.Submit(inv.ctx, c.ID, commit)
	if err != nil {
		return err
	}
	sub := r.After.Task(c.ID).Submission
	return inv.result(r, map[string]any{"task": c.ID, "status": r.After.Task(c.ID).Status, "commit": sub.Commit, "base_commit": sub.Base,
		"submission": sub.Number, "changed": sub.Changed}, "%s submitted %s (%s) → %s", c.ID, sub.Commit.Short(), view.Count(sub.Changed, "path"), r.After.Task(c.ID).Status)
}
