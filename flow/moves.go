package flow

import (
	"cmp"
	"slices"
	"time"
)

// Moves are the moves on tasks that the rules let the caller begin now, by task
// in order of creation; their details are empty. The rules can still refuse
// such an act for its fields.
func (b *Board) Moves(c Caller, at time.Time) []Move {
	var list []Move
	for _, s := range b.Tasks() {
		for _, act := range b.Acts(s.ID, c, at) {
			m := c.Move(act, s.ID, NewDetail(act))
			m.At = at
			list = append(list, m)
		}
	}
	return list
}

// Acts are the acts on one task that the rules let the caller begin now. Acts
// that are always possible and do not change the task are left out.
func (b *Board) Acts(id TaskID, c Caller, at time.Time) []Act {
	var list []Act
	t := b.Task(id)
	if t == nil {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if r.from != anywhere && r.from.has(t.Status) && !slices.Contains(list, r.act) && b.Opens(r.act, id, c, at) == nil {
			list = append(list, r.act)
		}
	}
	return list
}

// Best is the task that a caller should claim, or review, next: integration
// fixes, then rejected tasks of this coder, then by priority, then by age.
// Tasks for which skip returns true are left to others. Best calls skip only
// for tasks that the rules let the caller take; it may be nil.
// If no task is left, the refusal has the rule nothing_claimable and says what
// the first candidate waits for. If the board cannot be read (see [Board.Err]),
// the refusal has the rule invariant and says why.
func (b *Board) Best(act Act, c Caller, at time.Time, skip func(Summary) bool) (TaskID, *Refusal) {
	id, refusal := b.choice().best(act, c, at, skip)
	if b.err != nil {
		return "", refuse(RuleInvariant, "git liza fsck", "the board cannot be read: %v", b.err)
	}
	return id, refusal
}

// unplanned reports whether the current goal never had a task. Rules version 1
// does not count them, and archived tasks are not read for their goal: if the
// current goal is the first, they belong to it.
func (b *Board) unplanned(all []*Summary) bool {
	s := b.Settings()
	if b.HasRules(2) {
		return b.Goal(s.Goal).Added == 0
	}
	of := func(t *Summary) bool { return t.Goal == s.Goal }
	return !slices.ContainsFunc(all, of) && (s.Next.Goal > 2 || len(b.IDs(Archive)) == 0)
}

// A Trigger is a reason why a planner is needed.
type Trigger struct {
	Reason string // no_tasks, blocked, exhausted, integration_failed, immediate_discovery
	Task   TaskID
	Record RecordID
	Text   string
	Since  time.Time
}

// Triggers are the reasons to start a planner, most pressing first: no tasks
// yet, exhausted tasks, blocked tasks, integration failures that coders did not
// resolve, immediate discoveries; equal ones by priority, then age. A task
// whose budget is spent is left to a human.
func (b *Board) Triggers() []Trigger {
	if g := b.Goal(b.Settings().Goal); g == nil || g.Status != InProgress {
		return nil
	}
	all := b.oldest()
	var list []Trigger
	if b.unplanned(all) {
		list = append(list, Trigger{Reason: "no_tasks", Text: "the goal has no tasks yet", Since: b.at})
	}
	blocked := filter(all, func(s *Summary) bool { return s.Status == Blocked })
	slices.SortStableFunc(blocked, func(x, y *Summary) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.Changed.Compare(y.Changed))
	})
	config := b.Settings().Config.Limits
	begun := len(list)
	// Usage stands in the documents, and reading all of them is slow.
	budgeted := b.Settings().Config.Budgets != Budgets{}
	for _, s := range blocked {
		if (budgeted || s.Budgeted) && b.Budget(s.ID) != nil {
			continue // a planner cannot raise a budget, and planning the task anew would exceed it
		}
		limits := config.over(s.Limits)
		trigger := Trigger{Reason: "blocked", Task: s.ID, Text: s.Reason, Since: s.Changed}
		switch {
		case s.FailedBy >= limits.FailedCoders || s.Failures >= limits.Failures:
			trigger.Reason = "exhausted"
		case s.Limit == LimitMergeFails:
			trigger.Reason = "integration_failed"
		}
		list = append(list, trigger)
	}
	rank := map[string]int{"exhausted": 0, "blocked": 1, "integration_failed": 2}
	slices.SortStableFunc(list[begun:], func(x, y Trigger) int { return cmp.Compare(rank[x.Reason], rank[y.Reason]) })
	for _, id := range b.IDs(Discovered) {
		d, ok := b.load(Key{Discovered, id}).(*Discovery)
		if ok && d.Urgency == "immediate" && d.IsOpen() {
			list = append(list, Trigger{Reason: "immediate_discovery", Record: d.ID, Task: d.During, Text: d.Text, Since: d.At})
		}
	}
	return list
}
