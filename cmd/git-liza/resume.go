package main

import (
	"github.com/git-liza/git-liza/flow"
)

type resumeCommand struct {
	Reason string `default:"nothing is in the way any more" help:"Why; - for standard input."`
}

func (c *resumeCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	return inv.steer(flow.ActResume, &flow.ResumeMove{Reason: reason})
}
