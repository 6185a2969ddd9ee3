package main

import (
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
)

// again takes verdicts back that were given for texts which have changed.
func (c *approveCommand) again(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActRecheck, c.ID, &flow.RecheckMove{})
	if err != nil {
		return err
	}
	t, changed := r.After.Task(c.ID), []string{}
	if before := r.Before.Task(c.ID); before != nil {
		changed = append(changed, lists.Of(before.Outdated(r.Before), flow.TextRef.String)...)
	}
	data := map[string]any{"task": c.ID, "status": t.Status, "changed": changed}
	if r.Already {
		return inv.result(r, data, "%s is already judged anew → %s", c.ID, t.Status)
	}
	return inv.result(r, data, "%s is judged anew, because %s changed → %s", c.ID, strings.Join(changed, ", "), t.Status)
}
