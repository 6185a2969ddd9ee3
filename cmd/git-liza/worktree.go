package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
)

type worktreeCommands struct {
	List  worktreeListCommand  `cmd:"" default:"1" help:"List the checkouts and what they are for; the default."`
	Prune worktreePruneCommand `cmd:"" help:"Remove those that nobody needs; what only they hold is kept."`
}

type worktreeListCommand struct{}

func (c *worktreeListCommand) Run(inv *invocation, l look) error {
	list, err := l.clone.Checkouts.List(inv.ctx, l.reading.Board)
	if err != nil {
		return err
	}
	if list == nil {
		list = []work.Checkout{}
	}
	var text strings.Builder
	for _, k := range list {
		state := "-"
		switch {
		case k.Stale:
			state = "stale"
		case k.Broken:
			state = "broken"
		case k.Task != "":
			state = "used"
		}
		status := ""
		if k.Task != "" {
			status = k.Status.String()
		}
		fmt.Fprintf(&text, "%-6s  %-20s  %-18s  %s\n", state, k.Name, status, k.Reason)
	}
	return inv.answer("", map[string]any{"worktrees": list}, text.String())
}

type worktreePruneCommand struct{}

func (c *worktreePruneCommand) Run(inv *invocation, clone *work.Clone) error {
	pruned, err := clone.Checkouts.Prune(inv.ctx)
	var text strings.Builder
	for _, p := range pruned {
		fmt.Fprintf(&text, "removed %s", p.Name)
		if p.Rescued != "" {
			fmt.Fprintf(&text, ", what only it held is kept as %s", p.Rescued)
		}
		text.WriteString("\n")
	}
	if err != nil {
		inv.progress("%s", strings.TrimSuffix(text.String(), "\n"))
		return err
	}
	if len(pruned) == 0 {
		return inv.answer("already", map[string]any{"removed": []work.Pruned{}}, "no stale worktrees")
	}
	return inv.answer("changed", map[string]any{"removed": pruned}, text.String())
}
