package main

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

// dismiss takes a blocker of a rejection back.
func (c *rejectCommand) dismiss(inv *invocation, clone *work.Clone) error {
	r, err := clone.Move(inv.ctx, flow.ActDismiss, c.ID, func(b *flow.Board) (flow.Detail, error) {
		d := &flow.DismissMove{Role: c.Role, Blocker: *c.Dismiss, Reason: c.Reason}
		t := b.Task(c.ID)
		if t == nil {
			return d, nil
		}
		d.Role = cmp.Or(d.Role, t.RejectedBy)
		if last := t.Judgement(d.Role).Rejection; last != nil && d.Blocker >= 1 && d.Blocker <= len(last.Blockers) {
			d.Issue = last.Blockers[d.Blocker-1].Issue
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	t, d := r.After.Task(c.ID), r.Move.Detail.(*flow.DismissMove)
	left := t.Blockers()
	return inv.result(r, map[string]any{"task": c.ID, "status": t.Status, "role": d.Role, "blocker": d.Issue, "blockers": len(left)},
		"%s: blocker %d of %s dismissed, %s open → %s", c.ID, d.Blocker, d.Role, blockers(left), t.Status)
}
