package main

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

type archiveCommand struct {
	OlderThan flow.Duration `placeholder:"72h" help:"Only tasks that became final at least this long ago; default all final ones."`
}

// Run makes a move for each [flow.MaxTasks] tasks: more do not fit into one.
func (c *archiveCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	b, _, err := clone.Store.Board(s.ctx)
	if err != nil {
		return err
	}
	ids := c.due(b, clone.Store.Now())
	if len(ids) == 0 {
		return s.answer("already", map[string]any{"tasks": []flow.TaskID{}}, "nothing to archive")
	}
	for part := range slices.Chunk(ids, flow.MaxTasks) {
		if _, err := clone.Make(s.ctx, flow.ActArchive, "", &flow.ArchiveMove{Tasks: part}); err != nil {
			return err
		}
	}
	text := "archived " + listed(ids[:min(len(ids), flow.MaxList)])
	if len(ids) > flow.MaxList {
		text += ", …"
	}
	return s.answer("changed", map[string]any{"tasks": ids}, text)
}

// due are the final tasks that are old enough.
func (c *archiveCommand) due(b *flow.Board, now time.Time) []flow.TaskID {
	var ids []flow.TaskID
	for _, t := range b.Tasks() {
		if t.Status.Final() && now.Sub(t.Changed) >= time.Duration(c.OlderThan) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
