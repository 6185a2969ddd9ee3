package main

import "github.com/git-liza/git-liza/flow"

type graphCommand struct {
	Goal flow.GoalID `arg:"" optional:"" placeholder:"GOAL" help:"Only the tasks of this goal, and what they wait for elsewhere; default: all."`
	planShown
}

func (c *graphCommand) Run(inv *invocation) error { return c.showBoard(inv, c.Goal) }
