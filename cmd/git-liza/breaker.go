package main

import (
	"github.com/git-liza/git-liza/flow"
)

type breakerCommands struct {
	Reset breakerResetCommand `cmd:"" help:"Close the tripped breaker; what came before is not judged again."`
}

type breakerResetCommand struct {
	Resolution string `required:"" help:"What was done about the cause; - for standard input."`
}

func (c *breakerResetCommand) Run(inv *invocation) error {
	resolution, err := inv.text(c.Resolution)
	if err != nil {
		return err
	}
	return inv.steer(flow.ActReset, &flow.ResetMove{Resolution: resolution})
}
