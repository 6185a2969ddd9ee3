package main

import (
	"github.com/git-liza/git-liza/flow"
)

type unregisterCommand struct {
	ID flow.AgentID `arg:""`
}

func (c *unregisterCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, flow.ActUnregister, "", &flow.UnregisterMove{Agent: c.ID})
	if err != nil {
		return err
	}
	if err := clone.Store.Presences.Forget(s.ctx, c.ID); err != nil {
		s.progress("what %s said of itself is still there: %v", c.ID, err)
	}
	return s.agentResult(r, c.ID, "unregistered")
}
