package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

type intentCommand struct {
	ID             board.TaskID `arg:"" help:"The task."`
	Summary        string       `required:"" help:"What you are going to do."`
	Validation     string       `required:"" help:"How you will know that it works."`
	Files          []string     `help:"Files you expect to touch; repeatable."`
	Assumption     []string     `sep:"none" help:"What you take for given; repeatable."`
	Risk           []string     `sep:"none" help:"What could go wrong; repeatable."`
	Extend         []string     `placeholder:"GLOB,…" help:"Paths beyond what the task owns; repeatable."`
	Removes        []string     `placeholder:"PATH,…" tool:"Specs that the work removes." help:"Specs of which the work leaves no file, on purpose: a path or a glob; repeatable."`
	TestsNotNeeded string       `placeholder:"WHY" help:"Why no test changes."`
}

func (c *intentCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := work.Intend(inv.ctx, clone, c.ID, board.Intent{Summary: c.Summary, Validation: c.Validation,
		Files: c.Files, Assumptions: c.Assumption, Risks: c.Risk, Extend: c.Extend, Removes: c.Removes, TestsNotNeeded: c.TestsNotNeeded})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "intent recorded")
}
