package main

import (
	"github.com/git-liza/git-liza/flow"
)

type abandonCommand struct {
	ID      flow.TaskID `arg:"" help:"The task."`
	Reason  string      `required:"" help:"Why."`
	Cascade bool        `help:"Block the unclaimed tasks that need it."`
}

func (c *abandonCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.End(s.ctx, flow.ActAbandon, c.ID, func(_ *flow.Board, save *flow.Save) (flow.Detail, error) {
		return &flow.AbandonMove{Reason: c.Reason, Cascade: c.Cascade, Saved: save}, nil
	})
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "abandoned")
}
