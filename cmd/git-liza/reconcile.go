package main

import (
	"errors"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type reconcileCommand struct {
	ID     flow.TaskID `arg:""`
	Reason string      `default:"reached integration from outside" help:"Why."`
	Accept bool        `help:"Approve the task, if nobody has judged it."`
}

func (c *reconcileCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	b, err := clone.Fresh(inv.ctx)
	if err != nil {
		return err
	}
	tip, err := clone.Integration.Outside(inv.ctx, b)
	if err != nil {
		return err
	}
	r, err := clone.Integration.Adopt(inv.ctx, work.Adoption{Commit: tip, Reason: c.Reason, Tasks: []flow.TaskID{c.ID}, Accept: c.Accept})
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && refusal.Rule == flow.RuleState && b.Task(c.ID) != nil && b.Task(c.ID).Status.IsMerged() {
		return inv.answer("already", map[string]any{"task": c.ID, "status": b.Task(c.ID).Status}, string(c.ID)+" is merged already")
	}
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "reconciled")
}
