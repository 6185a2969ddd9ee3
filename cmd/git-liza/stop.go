package main

import "github.com/git-liza/git-liza/flow"

type stopCommand struct {
	Reason string `default:"somebody wants work to end" help:"Why; - for standard input."`
}

func (c *stopCommand) said() *string { return &c.Reason }

func (c *stopCommand) Run(inv *invocation) error {
	return inv.steer("", flow.ActStop, &flow.StopMove{Reason: c.Reason})
}
