package main

import (
	"github.com/git-liza/git-liza/flow"
)

type agentsRestCommand struct {
	ID     flow.AgentID `arg:""`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *agentsRestCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: c.ID, Reason: reason})
	if err != nil {
		return err
	}
	return inv.agentResult(r, c.ID, "rests")
}
