package main

import (
	"github.com/git-liza/git-liza/flow"
)

type reviewCommand struct {
	ID    flow.TaskID   `arg:"" optional:"" help:"Default: the best submission."`
	Lease flow.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *reviewCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	got, r, err := clone.Review(inv.ctx, c.ID, flow.ReviewMove{Lease: c.Lease})
	if err != nil {
		return err
	}
	if got.Warning != "" {
		inv.progress("warning: %s", got.Warning)
	}
	return inv.result(r, got, "%s reviews %s of %s by %s until %s\n%s", clone.By, got.Commit.Short(), got.Task, got.Author,
		got.Lease.Format("2006-01-02 15:04:05Z"), got.Worktree)
}
