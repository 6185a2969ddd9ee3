package flow

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

func bestTask(b *board.Board, act board.Act, c Caller, at time.Time, skip func(board.Summary) bool) (board.TaskID, *Refusal) {
	if held := reviewedNow(b, act, c, at); held != "" {
		return held, nil
	}
	list := candidatesFor(b, act, c, at)
	var first *Refusal
	skipped, gone := false, map[board.GoalID]bool{}
	*b.Compared() = 0
	for s := range list.bestFirst() {
		if b.Interrupted() {
			break
		}
		if first != nil && (act == board.ActClaim && collides(b, s.Summary) || isUnpaid(b, s.Summary) || gone[s.Goal]) {
			continue
		}
		r := Opens(b, act, s.ID, c, at)
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
		if r := Opens(b, act, held.ID, c, at); r != nil {
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
func reviewedNow(b *board.Board, act board.Act, c Caller, at time.Time) (held board.TaskID) {
	if act != board.ActReview || !c.By.IsHuman() {
		return ""
	}
	b.Each(func(s *board.Summary) {
		mine := func(j board.Judge) bool { return j.By == c.By && j.Lease.After(at) }
		if held == "" && slices.ContainsFunc(s.Judges, mine) {
			held = s.ID
		}
	})
	return held
}

// isUnpaid reports whether the sprint or the goal of a task has spent its budget.
// All tasks of it are then refused, and their documents need not be read.
func isUnpaid(b *board.Board, s *board.Summary) bool {
	if b.Settings().Config.Budgets == (board.Budgets{}) {
		return false
	}
	goal, sprint := payersOf(b, &board.Task{Goal: s.Goal, Sprint: s.Sprint})
	return slices.ContainsFunc(sharedPurses(b, goal, sprint), func(p purse) bool { return p.exhausted() != nil })
}

// collides reports whether a claim is certain to be refused because the paths
// of the task overlap those of a task in work, or would take too long to
// compare. It saves reading the documents of thousands of tasks that wait for
// one. Tasks with dependencies are left to the rule, which knows exceptions for
// them.
func collides(b *board.Board, s *board.Summary) bool {
	switch {
	case len(s.Owns) == 0:
		return false
	case *b.Compared() > maxCompared:
		return true
	case len(s.DependsOn) > 0:
		return false
	}
	found := false
	board.EachInWork(b, func(other *board.Summary) {
		if !found && other.ID != s.ID && len(other.DependsOn) == 0 {
			_, _, found = glob.FirstOverlap(board.OwnedGlobs(b, s), board.OwnedGlobs(b, other), true, b.Compared())
		}
	})
	return found || *b.Compared() > maxCompared
}

// A candidate is a task that a caller could take. Of two candidates the one with the
// lower rank is better: it waits for no dependency, its goal comes first, its work was
// begun before, its sprint plans it, its priority is higher, more work waits behind it.
type candidate struct {
	*board.Summary
	rank [6]int
}

// candidatesFor are the tasks of goals in progress whose state lets the act begin. Those that
// wait for a dependency are the last ones.
func candidatesFor(b *board.Board, act board.Act, c Caller, at time.Time) candidates {
	begins, urgent, kept := beginsWork(b, act, c.By, at), goalPriorities(b), keepsFor(b, act, c, at)
	var free []*board.Summary
	b.Each(func(s *board.Summary) {
		if begins(s) && !s.IsEnded(urgent) && !kept(s) {
			free = append(free, s)
		}
	})
	waits, behind := map[*board.Summary]int{}, func(*board.Summary) time.Duration { return 0 }
	if act == board.ActClaim {
		waits = countWaiting(b, free)
		behind = pathsBehind(b)
	}
	list := make(candidates, 0, len(free))
	for _, s := range free {
		list = append(list, candidate{s, [6]int{waits[s], urgent[s.Goal], s.Urgency(c.By), map[bool]int{true: 1}[s.Stretch], s.Priority, -int(behind(s))}})
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
func keepsFor(b *board.Board, act board.Act, c Caller, at time.Time) func(*board.Summary) bool {
	if act != board.ActClaim {
		return func(*board.Summary) bool { return false }
	}
	holds := board.HoldsOf(b)
	reach, full := map[board.GoalID]int{}, map[board.GoalID]bool{}
	phases := map[board.GoalID]board.PhaseID{}
	for _, w := range board.OpenWorkflows(b) {
		phases[w.Goal] = b.Goal(w.Goal).Phase
	}
	return func(s *board.Summary) bool {
		if holds[s.Goal].Keeps(s.ID, s.Status, s.Created) {
			return true
		}
		if in := phases[s.Goal]; in != "" && s.Phase != in && s.Phase != board.AnyPhase {
			return true
		}
		if _, known := reach[s.Goal]; !known {
			reach[s.Goal] = levelReach(b, s.Goal)
			who := chargedAccount(b, c.Principal)
			most := mostClaims(b, s.Goal, who)
			full[s.Goal] = most > 0 && !c.By.IsHuman() && countClaims(b, s.Goal, who) >= most
		}
		return s.Level > max(1, reach[s.Goal]) || !c.By.IsHuman() && (s.NotBefore.After(at) || full[s.Goal] && s.Status != board.Claimed)
	}
}

// pathsBehind are, of a task, its estimate and those of the longest chain of open tasks
// that wait for it.
func pathsBehind(b *board.Board) func(*board.Summary) time.Duration {
	dependants := map[board.TaskID][]*board.Summary{}
	b.Each(func(s *board.Summary) {
		if len(s.DependsOn) == 0 || s.Status.Final() {
			return
		}
		for _, id := range s.DependsOn {
			dependants[id] = append(dependants[id], s)
		}
	})
	known := make(map[board.TaskID]time.Duration, len(dependants))
	var follow func(*board.Summary) time.Duration
	follow = func(s *board.Summary) time.Duration {
		waiting, own := dependants[s.ID], time.Duration(cmp.Or(s.Estimate, board.UsualEstimate))
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
func beginsWork(b *board.Board, act board.Act, by board.Actor, at time.Time) func(*board.Summary) bool {
	from, fits := startStates()[act], fitsActor(b, act, by)
	return func(s *board.Summary) bool {
		return from.Has(s.Status) && (act != board.ActClaim || s.Status != board.Claimed || !s.Lease.After(at)) && fits(s)
	}
}

// goalPriorities are those of the goals in progress, from 1.
func goalPriorities(b *board.Board) map[board.GoalID]int {
	of := map[board.GoalID]int{}
	for _, g := range b.GoalsInProgress() {
		of[g.ID] = g.Priority
	}
	return of
}

// taskOfEnded is the oldest task that is no candidate only because its goal has ended,
// nil if there is none.
func taskOfEnded(b *board.Board, act board.Act, by board.Actor, at time.Time) *board.Summary {
	begins, open := beginsWork(b, act, by, at), goalPriorities(b)
	for _, s := range b.Summaries() {
		if begins(s) && s.IsEnded(open) {
			return s
		}
	}
	return nil
}

// fitsActor reports of a task whether the act on it is for the role of an agent. To
// agents of another capacity the rules say why they are refused.
func fitsActor(b *board.Board, act board.Act, by board.Actor) func(*board.Summary) bool {
	role, capacity := by.Role(), CapacityOf(act)
	switch {
	case role == "" || capacity == 0 || b.CapacityOf(by) != capacity:
		return func(*board.Summary) bool { return true }
	case capacity == board.Does:
		return func(s *board.Summary) bool { return s.Role == role }
	}
	return func(s *board.Summary) bool {
		j := s.Judge(role)
		return j != nil && !j.Done
	}
}

// countWaiting has 1 for those of the tasks that wait for a dependency.
func countWaiting(b *board.Board, list []*board.Summary) map[*board.Summary]int {
	needed := map[board.TaskID]bool{} // true if it is not merged
	for _, s := range list {
		for _, d := range s.DependsOn {
			needed[d] = false
		}
	}
	waits := map[*board.Summary]int{}
	if len(needed) == 0 {
		return waits
	}
	b.Each(func(s *board.Summary) {
		if _, asked := needed[s.ID]; asked {
			needed[s.ID] = s.Status != board.Merged
		}
	})
	for _, s := range list {
		if slices.ContainsFunc(s.DependsOn, func(d board.TaskID) bool { return needed[d] }) {
			waits[s] = 1
		}
	}
	return waits
}

// maxCompared is the number of segments of globs, about a second of comparing,
// after which the search for the best task skips tasks that own paths.
const maxCompared = 20_000_000

// Acts are the acts on one task that the rules let the caller begin now. Acts
// that are always possible and do not change the task are left out.
func Acts(b *board.Board, id board.TaskID, c Caller, at time.Time) []board.Act {
	var list []board.Act
	t := b.Task(id)
	if t == nil {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if r.from != anywhere && r.from.Has(t.Status) && !slices.Contains(list, r.act) && Opens(b, r.act, id, c, at) == nil {
			list = append(list, r.act)
		}
	}
	return list
}

// Best is the task that a caller should claim, or review, next: integration
// fixes, then rejected tasks of this coder, then what its sprint plans before what it would
// stretch to, then by priority, then by age. With
// several goals in progress, tasks of goals of a higher priority come first;
// tasks of goals that have ended are passed over.
// Tasks for which skip returns true are left to others. Best calls skip only
// for tasks that the rules let the caller take; it may be nil.
// If no task is left, the refusal has the rule nothing_claimable and says what
// the first candidate waits for. If the board cannot be read (see [board.Board.Err]),
// the refusal has the rule invariant and says why.
func Best(b *board.Board, act board.Act, c Caller, at time.Time, skip func(board.Summary) bool) (board.TaskID, *Refusal) {
	id, refusal := bestTask(b, act, c, at, skip)
	if b.Err() != nil {
		return "", refuse(RuleInvariant, "git liza fsck", "the board cannot be read: %v", b.Err())
	}
	return id, refusal
}
