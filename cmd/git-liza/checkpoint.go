package main

import (
	"github.com/git-liza/git-liza/flow"
)

type checkpointCommands struct {
	Begin  checkpointCommand `cmd:"" default:"withargs" help:"Begin a checkpoint; the default."`
	Decide decideCommand     `cmd:"" help:"Record what was decided at the checkpoint; resume then leads on."`
}

type checkpointCommand struct {
	Reason string `default:"somebody wants to look" help:"Why; - for standard input."`
}

func (c *checkpointCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	return inv.steer(flow.ActCheckpoint, &flow.CheckpointMove{Reason: reason})
}

type decideCommand struct {
	Decision string `arg:"" help:"CONTINUE, ADJUST_SPECS, ADJUST_CONTRACTS, REPLAN, PIVOT or STOP."`
	Message  string `short:"m" required:"" help:"What follows from it; - for standard input."`
}

func (c *decideCommand) Run(inv *invocation) error {
	message, err := inv.text(c.Message)
	if err != nil {
		return err
	}
	return inv.steer(flow.ActDecide, &flow.DecideMove{Decision: c.Decision, Message: message})
}
