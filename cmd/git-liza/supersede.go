package main

import (
	"os"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

type supersedeCommand struct {
	ID     flow.TaskID `arg:""`
	By     string      `required:"" placeholder:"FILE|IDS" help:"The replacements: ids with commas, or a YAML list of new tasks as task add --from takes it (- for standard input)."`
	Reason string      `required:"" help:"Why, with the root cause."`
}

func (c *supersedeCommand) Run(inv *invocation) error {
	ids, list, lines, err := c.replacements(inv)
	if err != nil {
		return err
	}
	path := ""
	if lines != nil {
		path = c.By
	}
	return inFile(path, lines, inv.supersede(c.ID, flow.SupersedeMove{Reason: c.Reason, By: ids, Add: list}))
}

// replacements takes --by as a file if a file of that name exists.
func (c *supersedeCommand) replacements(inv *invocation) (ids []flow.TaskID, list []flow.TaskInput, lines []int, err error) {
	if _, err := os.Stat(c.By); err == nil || c.By == "-" {
		list, lines, err = inv.readTasks(c.By)
		return nil, list, lines, err
	}
	for word := range strings.SplitSeq(c.By, ",") {
		var id flow.TaskID
		if err := id.UnmarshalText([]byte(strings.TrimSpace(word))); err != nil {
			return nil, nil, nil, usagef("git liza help supersede", "--by: there is no file %s, and %v", c.By, err)
		}
		ids = append(ids, id)
	}
	return ids, nil, nil, nil
}

func (inv *invocation) supersede(id flow.TaskID, m flow.SupersedeMove) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if err := clone.Trust.AllowTasks(inv.ctx, m.Add); err != nil {
		return err
	}
	r, err := clone.End(inv.ctx, flow.ActSupersede, id, func(b *flow.Board, save *flow.Save) (flow.Detail, error) {
		numbered := append([]flow.TaskInput{}, m.Add...)
		b.Number(numbered)
		return &flow.SupersedeMove{Reason: m.Reason, By: m.By, Add: numbered, Saved: save}, nil
	})
	if err != nil {
		return err
	}
	t := r.After.Task(id)
	return inv.result(r, map[string]any{"task": id, "status": t.Status, "superseded_by": t.SupersededBy},
		"%s superseded by %v → %s", id, t.SupersededBy, t.Status)
}
