package flow

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// DueMoves are the automatic moves that the board asks for at a time, for the goals
// given, all in progress if there are none, in the order in which they are made. Each
// says what it was judged by; actor, time and request are the caller's. A caller makes
// the first and looks again. Boards that do not run ask for none.
func DueMoves(b *Board, at time.Time, goals ...GoalID) []Move {
	if b.Settings().Control.State != Running {
		return nil
	}
	if at.Before(b.At()) {
		at = b.At()
	}
	var list []Move
	due := func(act Act, g *Goal, d Detail) { list = append(list, Move{Act: act, Goal: g.ID, Detail: d}) }
	for _, g := range b.GoalsInProgress() {
		if len(goals) > 0 && !slices.Contains(goals, g.ID) {
			continue
		}
		for _, cause := range computedCauses {
			if why, ok := checkpointCause(b, g, at, cause); ok {
				due(ActCheckpoint, g, &CheckpointMove{Reason: why, Cause: cause, Since: b.Settings().Checked.Mark})
				return list
			}
		}
		for _, m := range phasesDue(b, g) {
			due(m.Act, g, m.Detail)
		}
		if g.Sprint != "" {
			if planned, open := planDone(b, g.Sprint); planned > 0 && open == nil {
				due(ActSprintClose, g, &SprintCloseMove{Sprint: g.Sprint})
			}
		} else if hasOpenTasks(b, g.ID) {
			due(ActSprintStart, g, &SprintStartMove{Sprint: g.Next})
		}
		if set := b.Settings().Config; set.Goal.Auto && isReached(b, g) && levelsSettled(b, g.ID) && checkExits(b, g.ID) == nil && len(set.GatesAt(AtGoal)) == 0 {
			due(ActComplete, g, &CompleteMove{Reason: "all tasks are final"})
		}
	}
	if m := aged(b, at); m != nil {
		list = append(list, Move{Act: ActArchive, Goal: m.aim(b), Detail: m})
	}
	return list
}

// A board with more final tasks than it keeps archives those that became final so long ago.
const (
	keptTasks = 1000
	keptFor   = 30 * 24 * time.Hour
)

// aged archives old tasks of one goal if the board has too many final ones, else it is nil.
func aged(b *Board, at time.Time) *ArchiveMove {
	final := 0
	b.each(func(t *Summary) {
		if t.Status.Final() {
			final++
		}
	})
	if final <= keptTasks {
		return nil
	}
	list := Archivable(b, at.Add(-keptFor))
	if len(list) == 0 {
		return nil
	}
	goal := list[0].Goal
	list = slices.DeleteFunc(list, func(t Summary) bool { return t.Goal != goal })
	return &ArchiveMove{Tasks: lists.Of(list[:min(len(list), MaxTasks)], func(t Summary) TaskID { return t.ID })}
}

// Archivable are the tasks that became final until a time and may be archived. In the archive
// a superseded task counts as done, so it waits for what replaces it.
func Archivable(b *Board, until time.Time) []Summary {
	return slices.DeleteFunc(b.Tasks(), func(t Summary) bool {
		return !t.Status.Final() || t.Changed.After(until) || t.Status == Superseded && openReplacement(b, t.ID, map[TaskID]bool{}) != nil ||
			(t.Status != Merged || t.Reverted) && holdsLevel(b, b.Task(t.ID))
	})
}

// NextDeadline is the first deadline after a time of an open sprint of the goals in
// progress, when [DueMoves] may ask for a checkpoint; zero if there is none.
func NextDeadline(b *Board, at time.Time) (next time.Time) {
	for _, id := range openSprints(b) {
		if s := b.Sprint(id); s != nil && s.Deadline.After(at) && (next.IsZero() || s.Deadline.Before(next)) {
			next = s.Deadline
		}
	}
	return next
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
var computedCauses = []Cause{CauseDeadline, CauseMerges, CauseBudget, CauseGate}

// checkpointCause reports whether a cause for a checkpoint holds of a goal at a time, and says
// by which figures it does, or does not.
func checkpointCause(b *Board, g *Goal, at time.Time, cause Cause) (why string, holds bool) {
	s, passed := b.Settings(), g.AtCheckpoint.sums()
	mark := s.Checked.Mark
	switch cause {
	case CauseDeadline:
		open := b.Sprint(b.OpenSprint(g.ID))
		if open == nil || open.Deadline.IsZero() || open.Deadline.After(at) || !s.Checked.At.Before(open.Deadline) {
			return fmt.Sprintf("no deadline of %s is over since %s", g.ID, mark), false
		}
		return fmt.Sprintf("the deadline of %s is over", open.ID), true
	case CauseMerges:
		every, merged := s.Config.Checkpoint.Every, g.Merged-passed.Merged
		if every == 0 || merged < every {
			return fmt.Sprintf("%d merges of %s since %s, a checkpoint comes at %d", merged, g.ID, mark, every), false
		}
		return fmt.Sprintf("%d merges of %s since %s", merged, g.ID, mark), true
	case CauseBudget:
		share, limit := int64(s.Config.Checkpoint.Share), s.Config.Budgets.Goal
		used := max(percent(g.Usage.Tokens()-passed.Tokens, limit.Tokens), percent(int64(g.Usage.Cost-passed.Cost), int64(limit.Cost)))
		if share == 0 || used < share {
			return fmt.Sprintf("%s has used %d %% of its budget since %s, a checkpoint comes at %d %%", g.ID, used, mark, share), false
		}
		return fmt.Sprintf("%s has used %d %% of its budget since %s", g.ID, used, mark), true
	case CauseGate:
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
	case limit > maxSum/1000:
		return part / (limit / 100)
	}
	return min(part, maxSum/1000) * 100 / limit
}

// planDone counts the planned tasks of a sprint, archived ones too, and returns the
// first that is not final. The replacements of a planned task count too, also those
// outside of the sprint.
func planDone(b *Board, id SprintID) (planned int, open *Summary) {
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
		case s.Status == Superseded:
			open = openReplacement(b, s.ID, map[TaskID]bool{})
		}
	}
	return planned, open
}

// PlannedTasks counts the planned tasks of a sprint, and those of them that became final
// in it: archived ones too, and those that were carried on.
func PlannedTasks(b *Board, s *Sprint) (planned, final int) {
	planned, final = s.Archived, s.Archived
	b.each(func(t *Summary) {
		switch {
		case t.Stretch || t.Sprint != s.ID:
		case t.Status.Final():
			final++
			planned++
		default:
			planned++
		}
	})
	for _, id := range s.Carried {
		if t := b.Task(id); t != nil && !t.Stretch {
			planned++
		}
	}
	return planned, final
}

// openReplacement is the first task that is not final of those that replace a task,
// directly or not; nil if there is none.
func openReplacement(b *Board, id TaskID, seen map[TaskID]bool) *Summary {
	t := b.Task(id)
	if t == nil || seen[id] || len(seen) > MaxList {
		return nil
	}
	seen[id] = true
	if !t.Status.Final() {
		s := t.Summary()
		return &s
	}
	for _, by := range t.SupersededBy {
		if open := openReplacement(b, by, seen); t.Status == Superseded && open != nil {
			return open
		}
	}
	return nil
}

// hasOpenTasks reports whether a goal has a task that is not final.
func hasOpenTasks(b *Board, goal GoalID) (open bool) {
	b.each(func(s *Summary) { open = open || s.Goal == goal && !s.Status.Final() })
	return open
}

// isReached reports whether all tasks of a goal are final, and what was reverted of it is
// done again or needed by nobody.
func isReached(b *Board, g *Goal) bool {
	return g.Added > 0 && !hasOpenTasks(b, g.ID) && takenAway(b, g.ID) == nil
}

// takenAway is a live task of a goal that was reverted, has no successor, and that an
// open task needs; nil if there is none.
func takenAway(b *Board, goal GoalID) (found *Summary) {
	needed := map[TaskID]bool{}
	b.each(func(s *Summary) {
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
		return refuse(RuleDue, "git liza status", "the board is at %s since, the cause was judged from %s on", p.board.Settings().Checked.Mark, clip(c.Since))
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
	if c.State == Running {
		return nil
	}
	return refuse(RuleControl, c.Onward(p.board), "the board is %s (%s): agents end and begin no sprint or goal", c.State, c.Reason)
}

// checkClose refuses to close another sprint than the one that is named, and agents to
// close one that is not done.
func checkClose(p *play, s *SprintCloseMove) *Refusal {
	open := p.board.OpenSprint(p.goalID())
	if s.Sprint != open {
		return refuse(RuleSprint, "git liza sprint show", "%s is open, not %s", open, clip(string(s.Sprint)))
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
		return refuse(RuleSprint, "git liza sprint show", "the next sprint of %s is %s, not %s", goal, next, clip(string(s.Sprint)))
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
func sprintPassed(p *play, id SprintID, closed bool) bool {
	s := p.board.Sprint(id)
	return id != "" && s != nil && (!closed || ended(s))
}
