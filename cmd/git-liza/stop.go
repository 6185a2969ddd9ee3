package main

import (
	"github.com/git-liza/git-liza/flow"
)

type stopCommand struct {
	Reason string `default:"somebody wants work to end" help:"Why; - for standard input."`
}

func (c *stopCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	return s.steer(flow.ActStop, &flow.StopMove{Reason: reason})
}
