package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type abandonCommand struct {
	ID      flow.TaskID `arg:"" help:"The task."`
	Reason  string      `required:"" help:"Why."`
	Cascade bool        `help:"Block the unclaimed tasks that need it."`
}

func (c *abandonCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.End(inv.ctx, flow.ActAbandon, c.ID, func(_ *flow.Board, save *flow.Save) (flow.Detail, error) {
		return &flow.AbandonMove{Reason: c.Reason, Cascade: c.Cascade, Saved: save}, nil
	})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "abandoned")
}
