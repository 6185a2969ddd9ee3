package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type dismissCommand struct {
	What    taskOrRecord `arg:"" name:"task|record" help:"The task that was rejected; or an anomaly, a discovery or a note."`
	Role    flow.Role    `placeholder:"ROLE" help:"Whose blocker; default: the role that rejected the task last."`
	Blocker int          `placeholder:"N" help:"Its number among the open blockers of that role, from 1 on."`
	Reason  string       `required:"" help:"Why the blocker does not hold the work up, or the record needs nobody's attention any more."`
}

// Help explains what comes after it.
func (c *dismissCommand) Help() string {
	return `A person takes one blocker of a rejection back. When none is open any more,
the same submission waits for its verdicts again: the role that rejected it
judges anew, and what other roles approved stays approved.

git liza show TASK lists the blockers with their numbers.

A record that is dismissed stays on the board, and stands in no prompt any more.`
}

func (c *dismissCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	switch {
	case err != nil:
		return err
	case c.What.record != "" && (c.Role != "" || c.Blocker != 0):
		return usagef("git liza help dismiss", "a record has no blockers")
	case c.What.record != "":
		return c.dismissRecord(inv, clone)
	case c.Blocker == 0:
		return usagef("git liza show "+string(c.What.task), "missing flags: --blocker=N")
	}
	return c.dismissBlocker(inv, clone)
}

// dismissBlocker takes a blocker of a rejection back.
func (c *dismissCommand) dismissBlocker(inv *invocation, clone *work.Clone) error {
	id := c.What.task
	r, err := clone.Move(inv.ctx, flow.ActDismiss, id, func(b *flow.Board) (flow.Detail, error) {
		d := &flow.DismissMove{Role: c.Role, Blocker: c.Blocker, Reason: c.Reason}
		t := b.Task(id)
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
	t, d := r.After.Task(id), r.Move.Detail.(*flow.DismissMove)
	left := t.Blockers()
	return inv.result(r, map[string]any{"task": id, "status": t.Status, "role": d.Role, "blocker": d.Issue, "blockers": len(left)},
		"%s: blocker %d of %s dismissed, %s open → %s", id, d.Blocker, d.Role, blockers(left), t.Status)
}

// dismissRecord dismisses an anomaly, a discovery or a note.
func (c *dismissCommand) dismissRecord(inv *invocation, clone *work.Clone) error {
	id, kind := c.What.record, ""
	r, err := clone.Move(inv.ctx, flow.ActDismissRecord, "", func(b *flow.Board) (flow.Detail, error) {
		kind = flow.RecordKind(b, id)
		if kind == "" && !b.Empty() {
			return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no record " + string(id), Hint: "git liza records --all"}
		}
		return &flow.DismissRecordMove{Kind: kind, Record: id, Reason: c.Reason}, nil
	})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"record": id, "kind": kind}, "%s %s dismissed", kind, id)
}
