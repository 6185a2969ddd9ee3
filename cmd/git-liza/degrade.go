package main

import (
	"github.com/git-liza/git-liza/flow"
)

type degradeCommand struct {
	ID     flow.AgentID `arg:""`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *degradeCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: c.ID, Reason: reason})
	if err != nil {
		return err
	}
	return s.agentResult(r, c.ID, "degraded")
}
