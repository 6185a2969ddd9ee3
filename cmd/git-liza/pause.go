package main

import (
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type pauseCommand struct {
	Reason string `default:"somebody wants work to wait" help:"Why; - for standard input."`
}

func (c *pauseCommand) said() *string { return &c.Reason }

func (c *pauseCommand) Run(inv *invocation) error {
	return inv.steer("", board.ActPause, &flow.PauseMove{Reason: c.Reason})
}
