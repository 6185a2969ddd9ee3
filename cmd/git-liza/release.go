package main

import (
	"github.com/git-liza/git-liza/flow"
)

type releaseCommand struct {
	ID        flow.TaskID `arg:""`
	NoVerdict bool        `help:"The review ends without a verdict, and counts as such."`
}

func (c *releaseCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Release(s.ctx, c.ID, c.NoVerdict)
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "released")
}
