package flow

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// DueMoves are the automatic moves that the board asks for at a time, for the goals
// given, all in progress if there are none, in the order in which they are made. Each
// says what it was judged by; actor, time and request are the caller's. A caller makes
// the first and looks again. Boards that do not run ask for none.
func DueMoves(b *board.Board, at time.Time, goals ...board.GoalID) []Move {
	if b.Settings().Control.State != board.Running {
		return nil
	}
	if at.Before(b.At()) {
		at = b.At()
	}
	var list []Move
	due := func(act board.Act, g *board.Goal, d Detail) {
		list = append(list, Move{Act: act, Goal: g.ID, Detail: d})
	}
	for _, g := range b.GoalsInProgress() {
		if len(goals) > 0 && !slices.Contains(goals, g.ID) {
			continue
		}
		for _, cause := range computedCauses {
			if why, ok := checkpointCause(b, g, at, cause); ok {
				due(board.ActCheckpoint, g, &CheckpointMove{Reason: why, Cause: cause, Since: b.Settings().Checked.Mark})
				return list
			}
		}
		for _, m := range phasesDue(b, g) {
			due(m.Act, g, m.Detail)
		}
		if g.Sprint != "" {
			if planned, open := planDone(b, g.Sprint); planned > 0 && open == nil {
				due(board.ActSprintClose, g, &SprintCloseMove{Sprint: g.Sprint})
			}
		} else if hasOpenTasks(b, g.ID) {
			due(board.ActSprintStart, g, &SprintStartMove{Sprint: g.Next})
		}
		if set := b.Settings().Config; set.Goal.Auto && isReached(b, g) && levelsSettled(b, g.ID) && checkExits(b, g.ID) == nil && len(set.GatesAt(board.AtGoal)) == 0 {
			due(board.ActComplete, g, &CompleteMove{Reason: "all tasks are final"})
		}
	}
	if m := aged(b, at); m != nil {
		list = append(list, Move{Act: board.ActArchive, Goal: m.aim(b), Detail: m})
	}
	return list
}

// A board with more final tasks than it keeps archives those that became final so long ago.
const (
	keptTasks = 1000
	keptFor   = 30 * 24 * time.Hour
)

// aged archives old tasks of one goal if the board has too many final ones, else it is nil.
func aged(b *board.Board, at time.Time) *ArchiveMove {
	final := 0
	b.Each(func(t *board.Summary) {
		if t.Status.Final() {
			final++
		}
	})
	if final <= keptTasks {
		return nil
	}
	list := board.Archivable(b, at.Add(-keptFor))
	if len(list) == 0 {
		return nil
	}
	goal := list[0].Goal
	list = slices.DeleteFunc(list, func(t board.Summary) bool { return t.Goal != goal })
	return &ArchiveMove{Tasks: lists.Of(list[:min(len(list), board.MaxTasks)], func(t board.Summary) board.TaskID { return t.ID })}
}

// Judges reports whether two automatic moves are about the same: the one that was due
// then, and the one that is due now.
func (m Move) Judges(due Move) bool {
	if m.Act != due.Act || m.Goal != due.Goal {
		return false
	}
	switch d := m.Detail.(type) {
	case *CheckpointMove:
		o, ok := due.Detail.(*CheckpointMove)
		return ok && d.Cause == o.Cause && d.Since == o.Since
	case *SprintCloseMove:
		o, ok := due.Detail.(*SprintCloseMove)
		return ok && d.Sprint == o.Sprint
	case *SprintStartMove:
		o, ok := due.Detail.(*SprintStartMove)
		return ok && d.Sprint == o.Sprint
	case *PhaseMove:
		o, ok := due.Detail.(*PhaseMove)
		return ok && d.From == o.From && d.To == o.To
	}
	return true
}

// computedCauses are those that the rules judge, in the order in which they are
// looked at.
var computedCauses = []board.Cause{board.CauseDeadline, board.CauseMerges, board.CauseBudget, board.CauseGate}

// checkpointCause reports whether a cause for a checkpoint holds of a goal at a time, and says
// by which figures it does, or does not.
func checkpointCause(b *board.Board, g *board.Goal, at time.Time, cause board.Cause) (why string, holds bool) {
	s, passed := b.Settings(), g.AtCheckpoint.Sums()
	mark := s.Checked.Mark
	switch cause {
	case board.CauseDeadline:
		open := b.Sprint(b.OpenSprint(g.ID))
		if open == nil || open.Deadline.IsZero() || open.Deadline.After(at) || !s.Checked.At.Before(open.Deadline) {
			return fmt.Sprintf("no deadline of %s is over since %s", g.ID, mark), false
		}
		return fmt.Sprintf("the deadline of %s is over", open.ID), true
	case board.CauseMerges:
		every, merged := s.Config.Checkpoint.Every, g.Merged-passed.Merged
		if every == 0 || merged < every {
			return fmt.Sprintf("%d merges of %s since %s, a checkpoint comes at %d", merged, g.ID, mark, every), false
		}
		return fmt.Sprintf("%d merges of %s since %s", merged, g.ID, mark), true
	case board.CauseBudget:
		share, limit := int64(s.Config.Checkpoint.Share), s.Config.Budgets.Goal
		used := max(percent(g.Usage.Tokens()-passed.Tokens, limit.Tokens), percent(int64(g.Usage.Cost-passed.Cost), int64(limit.Cost)))
		if share == 0 || used < share {
			return fmt.Sprintf("%s has used %d %% of its budget since %s, a checkpoint comes at %d %%", g.ID, used, mark, share), false
		}
		return fmt.Sprintf("%s has used %d %% of its budget since %s", g.ID, used, mark), true
	case board.CauseGate:
		return outageSpread(b, s.Checked.At)
	}
	return "", false
}

// percent is the part of a limit in percent, rounded down; 0 of no limit. Sums and
// limits are far below what a hundred of them can hold, except limits near their bound.
func percent(part, limit int64) int64 {
	switch {
	case limit <= 0:
		return 0
	case limit > board.MaxSum/1000:
		return part / (limit / 100)
	}
	return min(part, board.MaxSum/1000) * 100 / limit
}

// planDone counts the planned tasks of a sprint, archived ones too, and returns the
// first that is not final. The replacements of a planned task count too, also those
// outside of the sprint.
func planDone(b *board.Board, id board.SprintID) (planned int, open *board.Summary) {
	if s := b.Sprint(id); s != nil {
		planned = s.Archived
	}
	for _, s := range b.Summaries() {
		if s.Sprint != id || s.Stretch {
			continue
		}
		planned++
		switch {
		case open != nil:
		case !s.Status.Final():
			open = s
		case s.Status == board.Superseded:
			open = board.OpenReplacement(b, s.ID, map[board.TaskID]bool{})
		}
	}
	return planned, open
}

// hasOpenTasks reports whether a goal has a task that is not final.
func hasOpenTasks(b *board.Board, goal board.GoalID) (open bool) {
	b.Each(func(s *board.Summary) { open = open || s.Goal == goal && !s.Status.Final() })
	return open
}

// isReached reports whether all tasks of a goal are final, and what was reverted of it is
// done again or needed by nobody.
func isReached(b *board.Board, g *board.Goal) bool {
	return g.Added > 0 && !hasOpenTasks(b, g.ID) && takenAway(b, g.ID) == nil
}

// takenAway is a live task of a goal that was reverted, has no successor, and that an
// open task needs; nil if there is none.
func takenAway(b *board.Board, goal board.GoalID) (found *board.Summary) {
	needed := map[board.TaskID]bool{}
	b.Each(func(s *board.Summary) {
		if !s.Status.Final() {
			for _, id := range s.DependsOn {
				needed[id] = true
			}
		}
	})
	for _, s := range b.Summaries() {
		if found == nil && s.Goal == goal && s.Reverted && len(s.Successors) == 0 && needed[s.ID] {
			found = s
		}
	}
	return found
}

// checkCause refuses a checkpoint whose cause does not hold.
func checkCause(p *play, c *CheckpointMove) *Refusal {
	switch {
	case !slices.Contains(computedCauses, c.Cause):
		if c.Since != "" {
			return refuse(RuleForm, "git liza checkpoint --reason R", "only a deadline, merges, a budget or a gate count from a checkpoint")
		}
		return nil
	case p.move.Goal == "" || p.board.Goal(p.move.Goal) == nil:
		return refuse(RuleForm, "git liza checkpoint --reason R", "the %s is that of a goal, which the move names", c.Cause)
	case c.Since != p.board.Settings().Checked.Mark:
		return refuse(RuleDue, "git liza status", "the board is at %s since, the cause was judged from %s on", p.board.Settings().Checked.Mark, board.Clip(c.Since))
	}
	why, holds := checkpointCause(p.board, p.board.Goal(p.move.Goal), p.move.At, c.Cause)
	if holds || p.move.By.IsHuman() {
		return nil
	}
	return refuse(RuleDue, "git liza status", "%s", why)
}

// checkRuns refuses what agents end or begin of themselves while the board does not run:
// a person decides then.
func checkRuns(p *play) *Refusal {
	c := p.board.Settings().Control
	if c.State == board.Running {
		return nil
	}
	return refuse(RuleControl, c.Onward(p.board), "the board is %s (%s): agents end and begin no sprint or goal", c.State, c.Reason)
}

// checkClose refuses to close another sprint than the one that is named, and agents to
// close one that is not done.
func checkClose(p *play, s *SprintCloseMove) *Refusal {
	open := p.board.OpenSprint(p.goalID())
	if s.Sprint != open {
		return refuse(RuleSprint, "git liza sprint show", "%s is open, not %s", open, board.Clip(string(s.Sprint)))
	}
	if p.move.By.IsHuman() {
		return nil
	}
	if r := checkRuns(p); r != nil {
		return r
	}
	planned, first := planDone(p.board, open)
	switch {
	case planned == 0:
		return refuse(RuleDue, "git liza sprint show", "%s has no planned task: only a human closes it", open)
	case first != nil && first.Sprint != open:
		return refuse(RuleOpen, "git liza sprint show", "%s, which replaces a planned task, is %s: a sprint closes when its planned tasks are final, or when a human says so", first.ID, first.Status)
	case first != nil:
		return refuse(RuleOpen, "git liza sprint show", "%s is planned and %s: a sprint closes when its planned tasks are final, or when a human says so", first.ID, first.Status)
	}
	return nil
}

// checkStart refuses to open another sprint than the next one, and agents to plan one or
// to open one for nothing.
func checkStart(p *play, s *SprintStartMove) *Refusal {
	goal := p.goalID()
	switch next := nextSprint(p.board, goal); {
	case s.Sprint != next:
		return refuse(RuleSprint, "git liza sprint show", "the next sprint of %s is %s, not %s", goal, next, board.Clip(string(s.Sprint)))
	case p.move.By.IsHuman():
		return nil
	case len(s.Planned)+len(s.Stretch) > 0 || !s.Deadline.IsZero():
		return refuse(RuleRole, "git liza sprint start", "only a human says what a sprint plans, and until when")
	case !hasOpenTasks(p.board, goal):
		return refuse(RuleDue, "git liza goal done", "%s has no open task for a sprint", goal)
	}
	return checkRuns(p)
}

// checkComplete refuses agents to complete a goal that a person has not left to them, or
// of which something was taken away that is needed.
func checkComplete(p *play) *Refusal {
	goal := p.goalID()
	if !p.board.Settings().Config.Goal.Auto {
		return refuse(RuleDue, "git liza goal done", "only a human says that %s is reached, unless goal.auto is on", goal)
	}
	if t := takenAway(p.board, goal); t != nil {
		return refuse(RuleOpen, "git liza show "+string(t.ID), "%s was reverted, nothing does its work again, and open tasks need it", t.ID)
	}
	return checkRuns(p)
}

// sprintPassed reports whether the sprint that a move names has come to that state already.
func sprintPassed(p *play, id board.SprintID, closed bool) bool {
	s := p.board.Sprint(id)
	return id != "" && s != nil && (!closed || ended(s))
}
