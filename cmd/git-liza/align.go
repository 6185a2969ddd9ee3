package main

import (
	"github.com/git-liza/git-liza/flow"
)

type alignCommand struct {
	goalFlag
	Text string `arg:"" help:"Where things stand against the original intent; - for standard input."`
}

func (c *alignCommand) Run(inv *invocation) error {
	text, err := inv.text(c.Text)
	if err != nil {
		return err
	}
	return inv.goalLine(c.Goal, flow.ActAlign, "aligned", &flow.AlignMove{Text: text})
}
