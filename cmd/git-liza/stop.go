package main

import (
	"github.com/git-liza/git-liza/flow"
)

type stopCommand struct {
	Reason string `default:"somebody wants work to end" help:"Why; - for standard input."`
}

func (c *stopCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	return inv.steer(flow.ActStop, &flow.StopMove{Reason: reason})
}
