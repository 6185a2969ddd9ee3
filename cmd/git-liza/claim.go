package main

import (
	"github.com/git-liza/git-liza/flow"
)

type claimCommand struct {
	ID    flow.TaskID   `arg:"" optional:"" help:"Default: the best claimable task."`
	Lease flow.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *claimCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	got, r, err := clone.Claim(inv.ctx, c.ID, c.Lease)
	if err != nil {
		return err
	}
	if got.Warning != "" {
		inv.progress("warning: %s", got.Warning)
	}
	return inv.result(r, got, "%s claimed by %s until %s, iteration %d\n%s", got.Task, clone.By,
		got.Lease.Format("2006-01-02 15:04:05Z"), got.Iteration, got.Worktree)
}
