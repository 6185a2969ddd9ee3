package main

import (
	"strings"

	"github.com/git-liza/git-liza/flow"
)

type recheckCommand struct {
	ID flow.TaskID `arg:"" help:"The approved task."`
}

// Help explains what comes before it.
func (c *recheckCommand) Help() string {
	return `A verdict is given for the texts that the task stands on, as they are when the
review begins. If one of them changes before the merge, the merge is refused.
recheck takes such verdicts back: the same submission waits for them again,
those of other roles stay. It counts as no failure of anybody. Supervisors do it
by themselves.

git liza show TASK lists the changed texts as stale. If a change left the
meaning, git liza spec-change PATH --same-meaning lets the verdicts stand.`
}

func (c *recheckCommand) Run(inv *invocation) error {
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
		for _, text := range before.Outdated(r.Before) {
			changed = append(changed, text.String())
		}
	}
	data := map[string]any{"task": c.ID, "status": t.Status, "changed": changed}
	if r.Already {
		return inv.result(r, data, "%s is already judged anew → %s", c.ID, t.Status)
	}
	return inv.result(r, data, "%s is judged anew, because %s changed → %s", c.ID, strings.Join(changed, ", "), t.Status)
}
