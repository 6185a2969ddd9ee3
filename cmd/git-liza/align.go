package main

import (
	"github.com/git-liza/git-liza/flow"
)

type alignCommand struct {
	Text string `arg:"" help:"Where things stand against the original intent; - for standard input."`
}

func (c *alignCommand) Run(s *session) error {
	text, err := s.text(c.Text)
	if err != nil {
		return err
	}
	return s.goalLine(flow.ActAlign, "aligned", &flow.AlignMove{Text: text})
}
