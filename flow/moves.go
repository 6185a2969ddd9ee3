package flow

import (
	"cmp"
	"slices"
	"time"
)

// Moves are the moves on tasks that the rules let the caller begin now, by
// task in order of creation; their details are empty. An act that appears
// here can still be refused for what its fields say.
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

// Acts are the acts on one task that the rules let the caller begin now. Those
// that are possible always and change nothing of it are left out.
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
// Tasks that skip reports are left to others; it is asked only about tasks that
// the rules let the caller take, and may be nil.
// If there is none the refusal has the rule nothing_claimable and says what
// the first candidate waits for. Of a board that cannot be read (see
// [Board.Err]) nothing is best: the refusal says why, by the rule invariant.
func (b *Board) Best(act Act, c Caller, at time.Time, skip func(Summary) bool) (TaskID, *Refusal) {
	id, refusal := b.best(act, c, at, skip)
	if b.err != nil {
		return "", refuse(RuleInvariant, "git liza fsck", "the board cannot be read: %v", b.err)
	}
	return id, refusal
}

func (b *Board) best(act Act, c Caller, at time.Time, skip func(Summary) bool) (TaskID, *Refusal) {
	list := b.candidates(act, c.By, at)
	var first *Refusal
	skipped := false
	b.short.compared = 0
	for _, s := range list {
		if b.interrupted() {
			break
		}
		if first != nil && (act == ActClaim && b.collides(s) || b.unpaid(s)) {
			continue
		}
		r := b.Opens(act, s.ID, c, at)
		if r == nil && skip != nil && skip(*s) {
			skipped = true
			continue
		}
		if r == nil {
			return s.ID, nil
		}
		if first == nil {
			first = r
		}
		if r.Rule == RuleDependencies {
			break // so do all that follow
		}
		if slices.Contains([]Rule{RuleStale, RuleControl, RuleDegraded, RuleOneClaim, RuleSupervisor, RuleRole, RulePrincipal}, r.Rule) {
			return "", r
		}
	}
	if skipped {
		return "", refuse(RuleNothing, "git liza list", "what there is is left to others")
	}
	if first != nil {
		return "", refuse(RuleNothing, first.Hint, "nothing can be taken by %s now; the first of %d candidates: %s", c.By, len(list), first.Reason)
	}
	return "", refuse(RuleNothing, "git liza list", "nothing waits for %s", c.By)
}

// unpaid reports whether the sprint or the goal of a task has spent its budget,
// as then all its tasks are refused; it saves reading them.
func (b *Board) unpaid(s *Summary) bool {
	if b.Settings().Config.Budgets == (Budgets{}) {
		return false
	}
	goal, sprint := b.payers(&Task{Goal: s.Goal, Sprint: s.Sprint})
	return slices.ContainsFunc(b.shared(goal, sprint), func(p purse) bool { return p.exhausted() != nil })
}

// maxCompared is how many segments of globs are compared, about a second, before
// tasks that own paths are passed over in the search for the best.
const maxCompared = 20_000_000

// collides reports whether a claim is sure to be refused because its paths
// overlap those of a task in work, or would take long to compare with them. It saves reading the documents of thousands
// of tasks that wait for one; where dependencies could make an exception, the
// rule itself is asked.
func (b *Board) collides(s *Summary) bool {
	switch {
	case len(s.Owns) == 0:
		return false
	case b.short.compared > maxCompared:
		return true
	case len(s.DependsOn) > 0:
		return false
	}
	found := false
	b.eachInWork(func(other *Summary) {
		if !found && other.ID != s.ID && len(other.DependsOn) == 0 {
			_, _, found = overlapping(b.owned(s), b.owned(other), true, &b.short.compared)
		}
	})
	return found || b.short.compared > maxCompared
}

// candidates are the tasks whose state lets the act begin, best first; those
// that wait for a dependency come last.
func (b *Board) candidates(act Act, by Actor, at time.Time) []*Summary {
	var from states
	for i := range rules {
		if rules[i].act == act {
			from |= rules[i].from
		}
	}
	var list []*Summary
	open := map[TaskID]bool{}
	b.each(func(s *Summary) {
		if s.Status != Merged {
			open[s.ID] = true
		}
		if from.has(s.Status) && (act != ActClaim || s.Status != Claimed || !s.Lease.After(at)) {
			list = append(list, s)
		}
	})
	waits := func(s *Summary) int {
		if act == ActClaim && slices.ContainsFunc(s.DependsOn, func(d TaskID) bool { return open[d] }) {
			return 1
		}
		return 0
	}
	slices.SortFunc(list, func(x, y *Summary) int {
		return cmp.Or(cmp.Compare(waits(x), waits(y)), cmp.Compare(x.urgency(by), y.urgency(by)),
			cmp.Compare(x.Priority, y.Priority), x.Created.Compare(y.Created), compareIDs(x.ID, y.ID))
	})
	return list
}

// urgency ranks work that was begun before work that was not.
func (s *Summary) urgency(by Actor) int {
	switch {
	case s.Status == IntegrationFailed:
		return 0
	case s.Status == Rejected && s.Coder == by:
		return 1
	}
	return 2
}

// unplanned reports whether the current goal has no tasks. Which goal an
// archived task had is not looked up: a first goal that has any was planned.
func (b *Board) unplanned(all []Summary) bool {
	s := b.Settings()
	of := func(t Summary) bool { return t.Goal == s.Goal }
	return !slices.ContainsFunc(all, of) && (s.Next.Goal > 2 || len(b.IDs(Archive)) == 0)
}

// A Trigger is why a planner is needed.
type Trigger struct {
	Reason string // no_tasks, blocked, exhausted, integration_failed, immediate_discovery
	Task   TaskID
	Record RecordID
	Text   string
	Since  time.Time
}

// Triggers are the reasons to wake a planner, most pressing first: no tasks
// yet, exhausted hypotheses, blocked tasks, integration failures that coders
// did not mend, immediate discoveries; alike ones by priority, then age. A task
// whose budget is spent is for a human.
func (b *Board) Triggers() []Trigger {
	if g := b.Goal(b.Settings().Goal); g == nil || g.Status != InProgress {
		return nil
	}
	all := b.Tasks()
	var list []Trigger
	if b.unplanned(all) {
		list = append(list, Trigger{Reason: "no_tasks", Text: "the goal has no tasks yet", Since: b.at})
	}
	slices.SortStableFunc(all, func(x, y Summary) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.Changed.Compare(y.Changed))
	})
	config := b.Settings().Config.Limits
	begun := len(list)
	// What is spent stands in the documents, which cost much to read for all.
	budgeted := b.Settings().Config.Budgets != Budgets{}
	for _, s := range all {
		if s.Status != Blocked || (budgeted || s.Budgeted) && b.Budget(s.ID) != nil {
			continue // a planner gives no money: planning it anew would spend more than was allowed
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
		if ok && d.Urgency == "immediate" && d.Converted == "" {
			list = append(list, Trigger{Reason: "immediate_discovery", Record: d.ID, Task: d.During, Text: d.Text, Since: d.At})
		}
	}
	return list
}
