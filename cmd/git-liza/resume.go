package main

import (
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type resumeCommand struct {
	Reason string `default:"nothing is in the way any more" help:"Why; - for standard input."`
}

func (c *resumeCommand) said() *string { return &c.Reason }

func (c *resumeCommand) Run(inv *invocation, l look) error {
	warnings, err := c.warnings(inv, l)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActResume, "", &flow.ResumeMove{Reason: c.Reason})
	if err != nil {
		return err
	}
	return answerControl(inv, r, warnings...)
}

// warnings says that nothing of what a checkpoint was to adjust has changed.
func (c *resumeCommand) warnings(inv *invocation, l look) ([]string, error) {
	now := l.reading.Board.Settings().Control
	if !now.IsDecided() || now.Decision != "ADJUST_CONTRACTS" || now.Mark == "" {
		return nil, nil
	}
	changed, err := l.clone.ContractsChanged(inv.ctx, l.reading.Board, now.Mark)
	if changed || err != nil {
		return nil, err
	}
	return []string{"contracts/ and .liza/ are as they were at " + now.Mark}, nil
}
