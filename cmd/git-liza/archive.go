package main

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
)

type archiveCommand struct {
	OlderThan flow.Duration `placeholder:"3d" help:"Only tasks that became final at least this long ago, and drop the records of sessions that ended before; default all final tasks, no sessions."`
}

// Run makes one move for every [flow.MaxTasks] tasks, because no more fit
// into a move.
func (c *archiveCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	now := clone.Store.Now()
	ids := c.oldTasks(b, now)
	for part := range slices.Chunk(ids, flow.MaxTasks) {
		if _, err := clone.Make(inv.ctx, flow.ActArchive, "", &flow.ArchiveMove{Tasks: part}); err != nil {
			return err
		}
	}
	if b, _, err = clone.Store.Board(inv.ctx); err != nil {
		return err
	}
	if _, err := clone.Store.Presences.Prune(inv.ctx, b); err != nil {
		return err
	}
	pruned := 0
	if c.OlderThan > 0 {
		if pruned, err = clone.Store.PruneSessions(inv.ctx, now.Add(-time.Duration(c.OlderThan))); err != nil {
			return err
		}
	}
	return c.report(inv, ids, pruned)
}

// report prints which tasks were archived and how many session records were
// dropped.
func (c *archiveCommand) report(inv *invocation, ids []flow.TaskID, pruned int) error {
	data := map[string]any{"tasks": append([]flow.TaskID{}, ids...), "sessions": pruned}
	if len(ids)+pruned == 0 {
		return inv.answer("already", data, "nothing to archive")
	}
	var lines []string
	if len(ids) > 0 {
		line := "archived " + view.JoinIDs(ids[:min(len(ids), flow.MaxList)])
		if len(ids) > flow.MaxList {
			line += ", …"
		}
		lines = append(lines, line)
	}
	if pruned > 0 {
		lines = append(lines, "dropped the records of "+view.Count(pruned, "session"))
	}
	return inv.answer("changed", data, strings.Join(lines, "\n"))
}

// oldTasks returns the final tasks that are old enough.
func (c *archiveCommand) oldTasks(b *flow.Board, now time.Time) []flow.TaskID {
	var ids []flow.TaskID
	for _, t := range b.Tasks() {
		if t.Status.Final() && now.Sub(t.Changed) >= time.Duration(c.OlderThan) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
