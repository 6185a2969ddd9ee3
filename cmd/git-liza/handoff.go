package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

type handoffCommand struct {
	ID         board.TaskID `arg:"" help:"The task."`
	Summary    string       `required:"" help:"Where things stand, in one phrase."`
	NextAction string       `required:"" help:"What to do next, in one phrase."`
	Approach   string       `help:"How it is being done."`
	Blocker    []string     `sep:"none" help:"What is in the way; repeatable."`
	File       []string     `help:"Files that matter; repeatable."`
	NextStep   []string     `sep:"none" help:"Steps after the next action; repeatable."`
	DeadEnd    []string     `sep:"none" help:"What does not work; repeatable."`
}

func (c *handoffCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := work.HandOff(inv.ctx, clone, c.ID, board.Handoff{Summary: c.Summary, NextAction: c.NextAction,
		Approach: c.Approach, Blockers: c.Blocker, Files: c.File, NextSteps: c.NextStep, DeadEnds: c.DeadEnd})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "handed off")
}
