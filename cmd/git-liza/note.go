package main

import (
	"github.com/git-liza/git-liza/flow"
)

type noteCommand struct {
	Text string `arg:"" help:"The word; - for standard input."`
	For  string `default:"all" placeholder:"all|ROLE|AGENT|TASK" help:"Whom it is for; default all."`
}

func (c *noteCommand) Run(inv *invocation) error {
	text, err := inv.text(c.Text)
	if err != nil {
		return err
	}
	return inv.record(flow.ActNote, flow.Notes, &flow.NoteMove{For: c.For, Text: text})
}
