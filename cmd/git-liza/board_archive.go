package main

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

type archiveCommand struct {
	Sprint    []board.SprintID `placeholder:"SPRINT" help:"Only the anomalies, discoveries and notes of these sprints, which have ended; repeatable."`
	OlderThan board.Duration   `placeholder:"3d" help:"Only tasks that became final, and records of sprints that ended, at least this long ago, and drop the records of sessions that ended before; default all, and no sessions."`
	NoRecords bool             `help:"Only tasks, no records of sprints that have ended."`
}

// An archiving is what one move archives.
type archiving struct {
	Goal    board.GoalID     `json:"goal,omitempty"`
	Tasks   []board.TaskID   `json:"tasks"`
	Sprints []board.SprintID `json:"sprints"`
	Records int              `json:"records"`
}

// Run makes a move for each goal, or several, because no more than [board.MaxTasks] tasks
// and [board.MaxList] sprints fit into one.
func (c *archiveCommand) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	now := clone.Store.Now()
	moves := c.moves(b, now)
	if err := b.Err(); err != nil {
		return err
	}
	for _, m := range moves {
		if _, err := clone.Make(inv.ctx, board.ActArchive, "", &flow.ArchiveMove{Tasks: m.Tasks, Sprints: m.Sprints}); err != nil {
			return err
		}
	}
	var err error
	pruned := 0
	if len(c.Sprint) == 0 {
		if pruned, err = c.prune(inv, clone, now); err != nil {
			return err
		}
	}
	return c.report(inv, moves, pruned)
}

// prune drops what is kept of agents that are gone and, as far as the command says so,
// of sessions.
func (c *archiveCommand) prune(inv *invocation, clone *work.Clone, now time.Time) (int, error) {
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return 0, err
	}
	if _, err := clone.Store.Presences.Prune(inv.ctx, b); err != nil || c.OlderThan == 0 {
		return 0, err
	}
	return clone.Store.PruneSessions(inv.ctx, now.Add(-time.Duration(c.OlderThan)))
}

// moves are the moves to make, each about one goal where the rules have goals of moves.
// Of sprints that somebody names all are in, so that the rules judge them.
func (c *archiveCommand) moves(b *board.Board, now time.Time) []archiving {
	byGoal, none := map[board.GoalID]*archiving{}, board.GoalID("")
	goals := []board.GoalID{none}
	of := func(goal board.GoalID) *archiving {
		if byGoal[goal] == nil {
			byGoal[goal] = &archiving{Goal: goal}
		}
		return byGoal[goal]
	}
	goals = append(goals, lists.Of(b.IDs(board.Goals), func(id string) board.GoalID { return board.GoalID(id) })...)
	if len(c.Sprint) == 0 {
		for _, t := range board.Archivable(b, now.Add(-time.Duration(c.OlderThan))) {
			m := of(t.Goal)
			m.Tasks = append(m.Tasks, t.ID)
		}
	}
	for _, id := range c.oldSprints(b, now) {
		goal := none
		if s := b.Sprint(id); s != nil {
			goal = s.Goal
		}
		m := of(goal)
		m.Sprints = append(m.Sprints, id)
	}
	var moves []archiving
	for _, goal := range goals {
		for m := byGoal[goal]; m != nil && len(m.Tasks)+len(m.Sprints) > 0; {
			tasks, sprints := min(len(m.Tasks), board.MaxTasks), min(len(m.Sprints), board.MaxList)
			one := archiving{goal, m.Tasks[:tasks], m.Sprints[:sprints], 0}
			one.Records = lists.Sum(one.Sprints, func(id board.SprintID) int { return len(board.RecordsToArchive(b, id)) })
			moves, m.Tasks, m.Sprints = append(moves, one), m.Tasks[tasks:], m.Sprints[sprints:]
		}
	}
	return moves
}

// report prints what was archived and how many session records were dropped.
func (c *archiveCommand) report(inv *invocation, moves []archiving, pruned int) error {
	all := archiving{Tasks: []board.TaskID{}, Sprints: []board.SprintID{}}
	for i, m := range moves {
		all.Tasks, all.Sprints, all.Records = append(all.Tasks, m.Tasks...), append(all.Sprints, m.Sprints...), all.Records+m.Records
		moves[i].Tasks, moves[i].Sprints = append([]board.TaskID{}, m.Tasks...), append([]board.SprintID{}, m.Sprints...)
	}
	data := map[string]any{"tasks": all.Tasks, "sessions": pruned, "sprints": all.Sprints, "records": all.Records}
	if len(moves) > 1 {
		data["results"] = moves
	}
	if len(moves)+pruned == 0 {
		data["sprints"] = append(all.Sprints, c.Sprint...)
		return inv.answer("already", data, "nothing to archive")
	}
	var lines []string
	if ids := all.Tasks; len(ids) > 0 {
		lines = append(lines, "archived "+shortList(ids))
	}
	if len(all.Sprints) > 0 {
		lines = append(lines, "archived "+view.Count(all.Records, "record")+" of "+shortList(all.Sprints))
	}
	if pruned > 0 {
		lines = append(lines, "dropped the records of "+view.Count(pruned, "session"))
	}
	return inv.answer("changed", data, strings.Join(lines, "\n"))
}

// shortList joins the first of many ids.
func shortList[T ~string](ids []T) string {
	line := view.JoinIDs(ids[:min(len(ids), board.MaxList)])
	if len(ids) > board.MaxList {
		line += ", …"
	}
	return line
}

// oldSprints returns the sprints that are named or, without names, those that ended long
// enough ago and have records to archive.
func (c *archiveCommand) oldSprints(b *board.Board, now time.Time) []board.SprintID {
	var list []board.SprintID
	unsettled := func(id board.SprintID) bool { return b.Sprint(id) == nil || len(board.RecordsToArchive(b, id)) > 0 }
	if len(c.Sprint) > 0 {
		if !slices.ContainsFunc(c.Sprint, unsettled) {
			return nil
		}
		return c.Sprint
	}
	if c.NoRecords {
		return nil
	}
	for _, s := range board.All[*board.Sprint](b, board.Sprints) {
		if !s.Ended.IsZero() && now.Sub(s.Ended) >= time.Duration(c.OlderThan) && unsettled(s.ID) {
			list = append(list, s.ID)
		}
	}
	return list
}
