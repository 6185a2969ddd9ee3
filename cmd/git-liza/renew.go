package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type renewCommand struct {
	ID    board.TaskID   `arg:""`
	Lease board.Duration `placeholder:"30m" help:"Default: the board's."`
	Role  board.Role     `placeholder:"ROLE" help:"Whose review, if several roles review it and you do not."`
}

func (c *renewCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Renew(inv.ctx, c.ID, flow.RenewMove{Lease: c.Lease, Role: c.Role})
	if err != nil {
		return err
	}
	t := r.After.Task(c.ID)
	_, lease := t.HeldReview(clone.By)
	switch {
	case c.Role != "":
		lease = t.Judgement(c.Role).Review
	case lease == nil:
		lease = t.Review()
	}
	if t.Claim != nil {
		lease = &board.Review{By: t.Claim.By, Lease: t.Claim.Lease}
	}
	return inv.result(r, map[string]any{"task": c.ID, "lease_expires": lease.Lease}, "%s renewed for %s until %s", c.ID, lease.By,
		lease.Lease.Format("2006-01-02 15:04:05Z"))
}
