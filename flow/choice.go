package flow

import (
	"cmp"
	"github.com/git-liza/git-liza/flow/glob"
	"iter"
	"slices"
	"time"
)

func bestTask(b *Board, act Act, c Caller, at time.Time, skip func(Summary) bool) (TaskID, *Refusal) {
	if held := reviewedNow(b, act, c, at); held != "" {
		return held, nil
	}
	list := candidatesFor(b, act, c, at)
	var first *Refusal
	skipped, gone := false, map[GoalID]bool{}
	*b.Compared() = 0
	for s := range list.bestFirst() {
		if b.interrupted() {
			break
		}
		if first != nil && (act == ActClaim && collides(b, s.Summary) || isUnpaid(b, s.Summary) || gone[s.Goal]) {
			continue
		}
		r := b.Opens(act, s.ID, c, at)
		if r == nil && skip != nil && skip(*s.Summary) {
			skipped = true
			continue
		}
		if r == nil {
			return s.ID, nil
		}
		first, gone[s.Goal] = cmp.Or(first, r), r.Rule == RuleSpec
		if r.Rule == RuleDependencies && s.rank[0] == 1 {
			break // the candidates that follow wait for dependencies too
		}
		if slices.Contains([]Rule{RuleStale, RuleControl, RuleResting, RuleOneClaim, RuleSupervisor, RuleRole, RulePrincipal}, r.Rule) {
			return "", r
		}
	}
	if skipped {
		return "", refuse(RuleNothing, "git liza list", "all tasks that can be taken are left to others")
	}
	if first != nil {
		return "", refuse(RuleNothing, first.Hint, "nothing can be taken by %s now; the first of %d candidates: %s", c.By, len(list), first.Reason)
	}
	if held := oldestHeldBack(b, act, c, at); held != nil {
		if r := b.Opens(act, held.ID, c, at); r != nil {
			return "", refuse(RuleNothing, r.Hint, "nothing can be taken by %s now: %s", c.By, r.Reason)
		}
	}
	if ended := taskOfEnded(b, act, c.By, at); ended != nil {
		return "", refuse(RuleNothing, "git liza goal reopen "+string(ended.Goal)+" --reason R", "nothing waits for %s but tasks of goals that have ended, such as %s of %s",
			c.By, ended.ID, ended.Goal)
	}
	return "", refuse(RuleNothing, "git liza list", "nothing waits for %s", c.By)
}

// reviewedNow is the task whose review a person holds, "" if there is none: the checkout is
// there, and nothing else shows it. That of an agent its own document names.
func reviewedNow(b *Board, act Act, c Caller, at time.Time) (held TaskID) {
	if act != ActReview || !c.By.IsHuman() {
		return ""
	}
	b.each(func(s *Summary) {
		mine := func(j Judge) bool { return j.By == c.By && j.Lease.After(at) }
		if held == "" && slices.ContainsFunc(s.Judges, mine) {
			held = s.ID
		}
	})
	return held
}

// isUnpaid reports whether the sprint or the goal of a task has spent its budget.
// All tasks of it are then refused, and their documents need not be read.
func isUnpaid(b *Board, s *Summary) bool {
	if b.Settings().Config.Budgets == (Budgets{}) {
		return false
	}
	goal, sprint := payersOf(b, &Task{Goal: s.Goal, Sprint: s.Sprint})
	return slices.ContainsFunc(sharedPurses(b, goal, sprint), func(p purse) bool { return p.exhausted() != nil })
}

// collides reports whether a claim is certain to be refused because the paths
// of the task overlap those of a task in work, or would take too long to
// compare. It saves reading the documents of thousands of tasks that wait for
// one. Tasks with dependencies are left to the rule, which knows exceptions for
// them.
func collides(b *Board, s *Summary) bool {
	switch {
	case len(s.Owns) == 0:
		return false
	case *b.Compared() > maxCompared:
		return true
	case len(s.DependsOn) > 0:
		return false
	}
	found := false
	eachInWork(b, func(other *Summary) {
		if !found && other.ID != s.ID && len(other.DependsOn) == 0 {
			_, _, found = glob.FirstOverlap(ownedGlobs(b, s), ownedGlobs(b, other), true, b.Compared())
		}
	})
	return found || *b.Compared() > maxCompared
}

// A candidate is a task that a caller could take. Of two candidates the one with the
// lower rank is better: it waits for no dependency, its goal comes first, its work was
// begun before, its sprint plans it, its priority is higher, more work waits behind it.
type candidate struct {
	*Summary
	rank [6]int
}

// candidatesFor are the tasks of goals in progress whose state lets the act begin. Those that
// wait for a dependency are the last ones.
func candidatesFor(b *Board, act Act, c Caller, at time.Time) candidates {
	begins, urgent, kept := beginsWork(b, act, c.By, at), goalPriorities(b), keepsFor(b, act, c, at)
	var free []*Summary
	b.each(func(s *Summary) {
		if begins(s) && !s.isEnded(urgent) && !kept(s) {
			free = append(free, s)
		}
	})
	waits, behind := map[*Summary]int{}, func(*Summary) time.Duration { return 0 }
	if act == ActClaim {
		waits = countWaiting(b, free)
		behind = pathsBehind(b)
	}
	list := make(candidates, 0, len(free))
	for _, s := range free {
		list = append(list, candidate{s, [6]int{waits[s], urgent[s.Goal], s.urgency(c.By), map[bool]int{true: 1}[s.Stretch], s.Priority, -int(behind(s))}})
	}
	return list
}

// isBefore reports whether a candidate is better than another one.
func (x *candidate) isBefore(y *candidate) bool {
	return cmp.Or(slices.Compare(x.rank[:], y.rank[:]), x.Compare(y.Summary)) < 0
}

// candidates are a heap once they are asked for the best.
type candidates []candidate

// bestFirst visits the candidates, best first, and uses them up. Usually one of the first
// is taken, so that sorting thousands would be in vain.
func (list candidates) bestFirst() iter.Seq[candidate] {
	return func(visit func(candidate) bool) {
		for i := len(list)/2 - 1; i >= 0; i-- {
			list.sink(i)
		}
		for len(list) > 0 {
			if !visit(list[0]) {
				return
			}
			last := len(list) - 1
			list[0], list = list[last], list[:last]
			list.sink(0)
		}
	}
}

// sink moves a candidate down to where it is better than those below it.
func (list candidates) sink(i int) {
	for {
		best := 2*i + 1
		if best+1 < len(list) && list[best+1].isBefore(&list[best]) {
			best++
		}
		if best >= len(list) || !list[best].isBefore(&list[i]) {
			return
		}
		list[i], list[best] = list[best], list[i]
		i = best
	}
}

// keepsFor reports of a task whether something that the summary does not wait for keeps a
// caller from claiming it: a decision, a level, a failure that was not long ago, or the
// pressure on its goal.
func keepsFor(b *Board, act Act, c Caller, at time.Time) func(*Summary) bool {
	if act != ActClaim {
		return func(*Summary) bool { return false }
	}
	holds := HoldsOf(b)
	reach, full := map[GoalID]int{}, map[GoalID]bool{}
	phases := map[GoalID]PhaseID{}
	for _, w := range openWorkflows(b) {
		phases[w.Goal] = b.Goal(w.Goal).Phase
	}
	return func(s *Summary) bool {
		if holds[s.Goal].keeps(s.ID, s.Status, s.Created) {
			return true
		}
		if in := phases[s.Goal]; in != "" && s.Phase != in && s.Phase != AnyPhase {
			return true
		}
		if _, known := reach[s.Goal]; !known {
			reach[s.Goal] = levelReach(b, s.Goal)
			who := chargedAccount(b, c.Principal)
			most := mostClaims(b, s.Goal, who)
			full[s.Goal] = most > 0 && !c.By.IsHuman() && countClaims(b, s.Goal, who) >= most
		}
		return s.Level > max(1, reach[s.Goal]) || !c.By.IsHuman() && (s.NotBefore.After(at) || full[s.Goal] && s.Status != Claimed)
	}
}

// UsualEstimate is what a task is expected to take for which nobody says how long.
const UsualEstimate = Duration(15 * time.Minute)

// pathsBehind are, of a task, its estimate and those of the longest chain of open tasks
// that wait for it.
func pathsBehind(b *Board) func(*Summary) time.Duration {
	dependants := map[TaskID][]*Summary{}
	b.each(func(s *Summary) {
		if len(s.DependsOn) == 0 || s.Status.Final() {
			return
		}
		for _, id := range s.DependsOn {
			dependants[id] = append(dependants[id], s)
		}
	})
	known := make(map[TaskID]time.Duration, len(dependants))
	var follow func(*Summary) time.Duration
	follow = func(s *Summary) time.Duration {
		waiting, own := dependants[s.ID], time.Duration(cmp.Or(s.Estimate, UsualEstimate))
		if len(waiting) == 0 {
			return own
		}
		if path, looked := known[s.ID]; looked {
			return path
		}
		var longest time.Duration
		for _, d := range waiting {
			longest = max(longest, follow(d))
		}
		known[s.ID] = own + longest
		return own + longest
	}
	return follow
}

// beginsWork reports of a task whether its state lets an actor begin the act.
func beginsWork(b *Board, act Act, by Actor, at time.Time) func(*Summary) bool {
	from, fits := startStates()[act], fitsActor(b, act, by)
	return func(s *Summary) bool {
		return from.has(s.Status) && (act != ActClaim || s.Status != Claimed || !s.Lease.After(at)) && fits(s)
	}
}

// goalPriorities are those of the goals in progress, from 1.
func goalPriorities(b *Board) map[GoalID]int {
	of := map[GoalID]int{}
	for _, g := range b.GoalsInProgress() {
		of[g.ID] = g.Priority
	}
	return of
}

// isEnded reports whether the goal of a task is not among those in progress, which
// goalPriorities returned.
func (s *Summary) isEnded(open map[GoalID]int) bool { return open[s.Goal] == 0 }

// taskOfEnded is the oldest task that is no candidate only because its goal has ended,
// nil if there is none.
func taskOfEnded(b *Board, act Act, by Actor, at time.Time) *Summary {
	begins, open := beginsWork(b, act, by, at), goalPriorities(b)
	for _, s := range b.Summaries() {
		if begins(s) && s.isEnded(open) {
			return s
		}
	}
	return nil
}

// fitsActor reports of a task whether the act on it is for the role of an agent. To
// agents of another capacity the rules say why they are refused.
func fitsActor(b *Board, act Act, by Actor) func(*Summary) bool {
	role, capacity := by.Role(), act.Capacity()
	switch {
	case role == "" || capacity == 0 || b.CapacityOf(by) != capacity:
		return func(*Summary) bool { return true }
	case capacity == Does:
		return func(s *Summary) bool { return s.Role == role }
	}
	return func(s *Summary) bool {
		j := s.Judge(role)
		return j != nil && !j.Done
	}
}

// countWaiting has 1 for those of the tasks that wait for a dependency.
func countWaiting(b *Board, list []*Summary) map[*Summary]int {
	needed := map[TaskID]bool{} // true if it is not merged
	for _, s := range list {
		for _, d := range s.DependsOn {
			needed[d] = false
		}
	}
	waits := map[*Summary]int{}
	if len(needed) == 0 {
		return waits
	}
	b.each(func(s *Summary) {
		if _, asked := needed[s.ID]; asked {
			needed[s.ID] = s.Status != Merged
		}
	})
	for _, s := range list {
		if slices.ContainsFunc(s.DependsOn, func(d TaskID) bool { return needed[d] }) {
			waits[s] = 1
		}
	}
	return waits
}

// maxCompared is the number of segments of globs, about a second of comparing,
// after which the search for the best task skips tasks that own paths.
const maxCompared = 20_000_000

// urgency ranks work that was begun before other work.
func (s *Summary) urgency(by Actor) int {
	switch {
	case s.Status == IntegrationFailed:
		return 0
	case s.Status == Rejected && s.Coder == by:
		return 1
	}
	return 2
}
