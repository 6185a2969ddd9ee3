package main

import (
	"github.com/git-liza/git-liza/flow"
)

type approveCommand struct {
	ID      flow.TaskID `arg:"" help:"The task."`
	Commit  string      `required:"" placeholder:"SHA" help:"The full id of the submitted commit."`
	Message string      `short:"m" help:"A word with the approval."`
}

func (c *approveCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Verdict(s.ctx, flow.ActApprove, c.ID, &flow.ApproveMove{Commit: flow.ObjectID(c.Commit), Message: c.Message})
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "approved")
}
