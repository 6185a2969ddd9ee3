package main

import (
	"github.com/git-liza/git-liza/flow"
)

type blockCommand struct {
	ID        flow.TaskID `arg:"" help:"The task."`
	Reason    string      `help:"What is in the way; it counts as a failure. Without it the task only asks."`
	Question  []string    `required:"" sep:"none" help:"What must be answered; one to three."`
	To        flow.Role   `placeholder:"ROLE" help:"Whose agents may answer; human: only a person or a planner."`
	Attempted []string    `sep:"none" help:"What was tried; repeatable."`
}

func (c *blockCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActBlock, c.ID, &flow.BlockMove{Reason: c.Reason, Questions: c.Question, Attempted: c.Attempted, To: c.To})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "blocked")
}
