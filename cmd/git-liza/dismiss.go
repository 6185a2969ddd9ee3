package main

import (
	"github.com/git-liza/git-liza/flow"
)

type dismissCommand struct {
	ID      flow.TaskID `arg:"" help:"The task that was rejected."`
	Role    flow.Role   `placeholder:"ROLE" help:"Whose blocker; default: the role that rejected it last."`
	Blocker int         `required:"" placeholder:"N" help:"Its number among the open blockers of that role, from 1 on."`
	Reason  string      `required:"" help:"Why it does not hold the work up."`
}

// Help explains what comes after it.
func (c *dismissCommand) Help() string {
	return `A person takes one blocker of a rejection back. When none is open any more,
the same submission waits for its verdicts again: the role that rejected it
judges anew, and what other roles approved stays approved.

git liza show TASK lists the blockers with their numbers.`
}

func (c *dismissCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Move(inv.ctx, flow.ActDismiss, c.ID, func(b *flow.Board) (flow.Detail, error) {
		d := &flow.DismissMove{Role: c.Role, Blocker: c.Blocker, Reason: c.Reason}
		t := b.Task(c.ID)
		if t == nil {
			return d, nil
		}
		if d.Role == "" {
			d.Role = t.RejectedBy
		}
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
