package main

import (
	"github.com/git-liza/git-liza/flow"
)

type specChangeCommand struct {
	Spec   string      `arg:"" placeholder:"SPEC" help:"The spec, as PATH or PATH#ANCHOR."`
	Change string      `required:"" help:"What changed; - for standard input."`
	By     flow.TaskID `placeholder:"TASK" help:"The task that caused it."`
}

func (c *specChangeCommand) Run(inv *invocation) error {
	change, err := inv.text(c.Change)
	if err != nil {
		return err
	}
	return inv.goalLine(flow.ActSpecChange, "spec change recorded", &flow.SpecChangeMove{Spec: c.Spec, Change: change, Cause: c.By})
}
