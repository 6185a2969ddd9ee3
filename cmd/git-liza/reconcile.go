package main

import (
	"errors"

	"github.com/git-liza/git-liza/flow"
)

type reconcileCommand struct {
	ID     flow.TaskID `arg:""`
	Reason string      `default:"reached integration from outside" help:"Why."`
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
	r, err := clone.Integration.Adopt(inv.ctx, tip, c.Reason, []flow.TaskID{c.ID})
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && refusal.Rule == flow.RuleState && b.Task(c.ID) != nil && b.Task(c.ID).Status.IsMerged() {
		return inv.answer("already", map[string]any{"task": c.ID, "status": b.Task(c.ID).Status}, string(c.ID)+" is merged already")
	}
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "reconciled")
}
