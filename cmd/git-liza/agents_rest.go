package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type agentsRestCommand struct {
	ID     flow.AgentID `arg:""`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *agentsRestCommand) said() *string { return &c.Reason }

func (c *agentsRestCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: c.ID, Reason: c.Reason})
	if err != nil {
		return err
	}
	return inv.agentResult(r, c.ID, "rests")
}
