package flow

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Trigger is a reason why a planner is needed.
type Trigger struct {
	Goal   board.GoalID
	Reason string // decision, no_tasks, level_failed, blocked, exhausted, integration_failed, immediate_discovery
	Task   board.TaskID
	Record board.RecordID
	Text   string
	Since  time.Time
}

// Triggers are the reasons to start a planner for the goals given, for all goals
// in progress if there are none: by the priority of the goal, then by its age.
// Those of one goal follow each other, most pressing first: no tasks yet, a level that
// failed and that no task mends, exhausted tasks, blocked tasks, integration failures
// that coders did not resolve, immediate discoveries; equal ones by priority, then age.
// A task whose budget is spent is left to a human.
func Triggers(b *board.Board, goals ...board.GoalID) []Trigger {
	var list []Trigger
	for _, g := range b.GoalsInProgress() {
		if len(goals) == 0 || slices.Contains(goals, g.ID) {
			list = append(list, triggersOf(b, g)...)
		}
	}
	return list
}

// triggersOf are those of one goal.
func triggersOf(b *board.Board, g *board.Goal) []Trigger {
	all := b.Summaries()
	var list []Trigger
	if h := g.Hold; h != nil {
		list = append(list, Trigger{Goal: g.ID, Reason: "decision", Text: h.Decision + ": " + h.Message, Since: h.At})
	}
	if g.Added == 0 {
		list = append(list, Trigger{Goal: g.ID, Reason: "no_tasks", Text: "the goal has no tasks yet", Since: b.At()})
	}
	if l := board.UnmendedLevel(b, g.ID); l != nil {
		list = append(list, Trigger{Goal: g.ID, Reason: "level_failed", Text: l.Failure(), Since: l.At})
	}
	blocked := lists.Where(all, func(s *board.Summary) bool { return s.Status == board.Blocked && s.Goal == g.ID })
	slices.SortStableFunc(blocked, func(x, y *board.Summary) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.Changed.Compare(y.Changed))
	})
	config := b.Settings().Config.Limits
	begun := len(list)
	// Usage stands in the documents, and reading all of them is slow.
	budgeted := b.Settings().Config.Budgets != board.Budgets{}
	for _, s := range blocked {
		if (budgeted || s.Budgeted) && refusesBudget(b, s.ID) {
			continue // a planner cannot raise a budget, and planning the task anew would exceed it
		}
		limits := config.Over(s.Limits)
		if asksOthers(b, s) && s.FailedBy < limits.FailedCoders && s.Failures < limits.Failures {
			continue
		}
		trigger := Trigger{Goal: g.ID, Reason: "blocked", Task: s.ID, Text: s.Reason, Since: s.Changed}
		switch {
		case s.FailedBy >= limits.FailedCoders || s.Failures >= limits.Failures:
			trigger.Reason = "exhausted"
		case s.Limit == board.LimitMergeFails:
			trigger.Reason = "integration_failed"
		}
		list = append(list, trigger)
	}
	rank := map[string]int{"exhausted": 0, "blocked": 1, "integration_failed": 2}
	slices.SortStableFunc(list[begun:], func(x, y Trigger) int { return cmp.Compare(rank[x.Reason], rank[y.Reason]) })
	for _, d := range board.All[*board.Discovery](b, board.Discovered) {
		if d.Urgency == "immediate" && d.IsOpen(b.At()) && board.GoalOfRecord(b, d.ID) == g.ID {
			list = append(list, Trigger{Goal: g.ID, Reason: "immediate_discovery", Record: d.ID, Task: d.During, Text: d.Text, Since: d.At})
		}
	}
	return list
}

// asksOthers reports whether a blocked task waits for the answer of a person, or of
// agents whose role does not plan.
func asksOthers(b *board.Board, s *board.Summary) bool {
	if !s.Asks || s.AskedOf == "" {
		return false
	}
	row := b.Role(s.AskedOf)
	return row == nil || row.Capacity != board.Plans
}
