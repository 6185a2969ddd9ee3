package main

import (
	"github.com/git-liza/git-liza/flow"
)

type approveCommand struct {
	ID      flow.TaskID `arg:"" help:"The task."`
	Commit  string      `required:"" placeholder:"SHA" help:"The full id of the submitted commit."`
	Message string      `short:"m" help:"A word with the approval."`
}

func (c *approveCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Verdict(inv.ctx, flow.ActApprove, c.ID, &flow.ApproveMove{Commit: flow.ObjectID(c.Commit), Message: c.Message})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "approved")
}
