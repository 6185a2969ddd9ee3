package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type agentsRemoveCommand struct {
	ID flow.AgentID `arg:""`
}

func (c *agentsRemoveCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, flow.ActUnregister, "", &flow.UnregisterMove{Agent: c.ID})
	if err != nil {
		return err
	}
	if err := clone.Store.Presences.Forget(inv.ctx, c.ID); err != nil {
		inv.progress("the presence of %s could not be removed: %v", c.ID, err)
	}
	return inv.agentResult(r, c.ID, "unregistered")
}
