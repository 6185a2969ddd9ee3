package main

import "github.com/git-liza/git-liza/templates"

type templateCommands struct {
	Vision   visionCommand   `cmd:"" help:"A spec to start from."`
	Workflow workflowCommand `cmd:"" help:"A workflow for GitHub, which runs no hooks: it judges the board after each push."`
}

type visionCommand struct{}

func (c *visionCommand) Run(s *session) error { return s.template("vision", templates.Vision()) }

type workflowCommand struct{}

func (c *workflowCommand) Run(s *session) error { return s.template("workflow", templates.Workflow()) }

func (s *session) template(name, text string) error {
	return s.answer("", map[string]any{"name": name, "text": text}, text)
}
