package main

import (
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type stopCommand struct {
	Reason string `default:"somebody wants work to end" help:"Why; - for standard input."`
}

func (c *stopCommand) said() *string { return &c.Reason }

func (c *stopCommand) Run(inv *invocation) error {
	return inv.steer("", board.ActStop, &flow.StopMove{Reason: c.Reason})
}
