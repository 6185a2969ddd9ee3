package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type mergeCommand struct {
	ID  board.TaskID `arg:"" optional:""`
	All bool         `help:"Every approved task, one after the other."`
}

func (c *mergeCommand) Run(inv *invocation) error {
	if c.All == (c.ID != "") {
		return usagef("git liza help merge", "merge takes either a task or --all")
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if c.All {
		return c.mergeAll(inv, clone)
	}
	merged, r, err := clone.Integration.Merge(inv.ctx, c.ID)
	if err != nil {
		return err
	}
	c.printWarning(inv, merged)
	return inv.result(r, merged, "%s merged as %s onto %s → %s", merged.Task, merged.Commit.Short(), merged.Onto.Short(), merged.Status)
}

// printWarning prints for people the warning that the JSON answer holds.
func (c *mergeCommand) printWarning(inv *invocation, m work.Merged) {
	if m.Warning != "" {
		inv.progress("warning: %s", m.Warning)
	}
}

// mergeAll merges every approved task and prints every result. Its exit code
// is the worst one.
func (c *mergeCommand) mergeAll(inv *invocation, clone *work.Clone) error {
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	type one struct {
		OK bool `json:"ok"`
		work.Merged
		Error string `json:"error,omitempty"`
	}
	results := []one{}
	var lines []string
	var worst error
	tasks := b.Tasks()
	if b.Err() != nil {
		return b.Err()
	}
	for _, t := range tasks {
		if !flow.Allows(t.Status, board.ActMerge) {
			continue
		}
		merged, _, err := clone.Integration.Merge(inv.ctx, t.ID)
		merged.Task = t.ID
		c.printWarning(inv, merged)
		result := one{OK: err == nil, Merged: merged}
		if err != nil {
			result.Error = err.Error()
			if worst != nil && classify(err).code <= classify(worst).code {
				lines = append(lines, err.Error())
			} else {
				if worst != nil {
					lines = append(lines, worst.Error())
				}
				worst = err
			}
		} else {
			lines = append(lines, fmt.Sprintf("%s merged as %s → %s", t.ID, merged.Commit.Short(), merged.Status))
		}
		results = append(results, result)
	}
	if worst != nil {
		f := classify(worst)
		for _, line := range lines {
			inv.progress("%s", line)
		}
		return &partial{f, map[string]any{"results": results}}
	}
	if len(results) == 0 {
		return inv.answer("already", map[string]any{"results": results}, "nothing is approved")
	}
	return inv.answer("changed", map[string]any{"results": results}, strings.Join(lines, "\n"))
}
