package main

import (
	"github.com/git-liza/git-liza/flow"
)

type unblockCommand struct {
	ID         flow.TaskID `arg:"" help:"The task."`
	KeepBranch bool        `help:"The next claim continues the saved branch."`
}

func (c *unblockCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.End(inv.ctx, flow.ActUnblock, c.ID, func(_ *flow.Board, save *flow.Save) (flow.Detail, error) {
		return &flow.UnblockMove{KeepBranch: c.KeepBranch, Saved: save}, nil
	})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "unblocked")
}
