package main

import (
	"github.com/git-liza/git-liza/flow"
)

type alignCommand struct {
	goalFlag
	Text    string `arg:"" help:"Where things stand against the original intent; - for standard input."`
	Answers string `placeholder:"CHECKPOINT" help:"It answers the decision at this checkpoint: what is held back can be claimed again."`
}

func (c *alignCommand) Run(inv *invocation) error {
	text, err := inv.text(c.Text)
	if err != nil {
		return err
	}
	return inv.goalLine(c.Goal, flow.ActAlign, "aligned", &flow.AlignMove{Text: text, Answers: c.Answers})
}
