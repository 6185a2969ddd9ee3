package main

import "github.com/git-liza/git-liza/templates"

type templateCommands struct {
	Vision visionCommand `cmd:"" help:"A spec to start from."`
}

type visionCommand struct{}

func (c *visionCommand) Run(s *session) error {
	return s.answer("", map[string]any{"name": "vision", "text": templates.Vision()}, templates.Vision())
}
