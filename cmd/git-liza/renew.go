package main

import (
	"github.com/git-liza/git-liza/flow"
)

type renewCommand struct {
	ID    flow.TaskID   `arg:""`
	Lease flow.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *renewCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Renew(inv.ctx, c.ID, flow.RenewMove{Lease: c.Lease})
	if err != nil {
		return err
	}
	t := r.After.Task(c.ID)
	lease := t.Review()
	if t.Claim != nil {
		lease = &flow.Review{By: t.Claim.By, Lease: t.Claim.Lease}
	}
	return inv.result(r, map[string]any{"task": c.ID, "lease_expires": lease.Lease}, "%s renewed for %s until %s", c.ID, lease.By,
		lease.Lease.Format("2006-01-02 15:04:05Z"))
}
