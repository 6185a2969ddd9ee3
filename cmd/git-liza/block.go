package main

import (
	"github.com/git-liza/git-liza/flow"
)

type blockCommand struct {
	ID        flow.TaskID `arg:"" help:"The task."`
	Reason    string      `required:"" help:"What is in the way."`
	Question  []string    `required:"" sep:"none" help:"What must be answered; one to three."`
	Attempted []string    `sep:"none" help:"What was tried; repeatable."`
}

func (c *blockCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActBlock, c.ID, &flow.BlockMove{Reason: c.Reason, Questions: c.Question, Attempted: c.Attempted})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "blocked")
}
