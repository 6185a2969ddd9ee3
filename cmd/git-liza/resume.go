package main

import (
	"github.com/git-liza/git-liza/flow"
)

type resumeCommand struct {
	Reason string `default:"nothing is in the way any more" help:"Why; - for standard input."`
}

func (c *resumeCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	return s.steer(flow.ActResume, &flow.ResumeMove{Reason: reason})
}
