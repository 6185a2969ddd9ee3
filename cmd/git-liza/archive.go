package main

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type archiveCommand struct {
	Sprint    []flow.SprintID `placeholder:"SPRINT" help:"Only the anomalies, discoveries and notes of these sprints, which have ended; repeatable."`
	OlderThan flow.Duration   `placeholder:"3d" help:"Only tasks that became final at least this long ago, and drop the records of sessions that ended before; default all final tasks, no sessions."`
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
	if len(c.Sprint) > 0 {
		return c.archiveRecords(inv, clone, b)
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

// archiveRecords archives the records of sprints, no tasks.
func (c *archiveCommand) archiveRecords(inv *invocation, clone *work.Clone, b *flow.Board) error {
	records := 0
	for _, id := range c.Sprint {
		records += len(flow.RecordsToArchive(b, id))
	}
	data := map[string]any{"sprints": c.Sprint, "records": records}
	unknown := func(id flow.SprintID) bool { return b.Sprint(id) == nil }
	if records == 0 && !slices.ContainsFunc(c.Sprint, unknown) {
		return inv.answer("already", data, "nothing to archive")
	}
	r, err := clone.Make(inv.ctx, flow.ActArchive, "", &flow.ArchiveMove{Sprints: c.Sprint})
	if err != nil {
		return err
	}
	return inv.result(r, data, "archived %s of %s", view.Count(records, "record"), view.JoinIDs(c.Sprint))
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
