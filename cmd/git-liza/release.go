package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type releaseCommand struct {
	ID        board.TaskID `arg:""`
	NoVerdict bool         `help:"The review ends without a verdict, and counts as such."`
	Role      board.Role   `placeholder:"ROLE" help:"Whose review, if several roles review it and you do not."`
}

func (c *releaseCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Release(inv.ctx, c.ID, flow.ReleaseMove{NoVerdict: c.NoVerdict, Role: c.Role})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "released")
}
