package main

import (
	"github.com/git-liza/git-liza/flow"
)

type pauseCommand struct {
	Reason string `default:"somebody wants work to wait" help:"Why; - for standard input."`
}

func (c *pauseCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	return inv.steer(flow.ActPause, &flow.PauseMove{Reason: reason})
}
