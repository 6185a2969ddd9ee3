package metrics

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// An Ask says what to report.
type Ask struct {
	By      By           // how the rows are divided; "" asks for none
	Goal    flow.GoalID  // "" is all goals
	Since   time.Time    // only what happened from then on; zero is the first move
	Now     time.Time    // as it was then; zero is after the last move
	Budgets flow.Budgets // of the board

	// Of the span only the moves after the first number up to the second count, where
	// several share a second; 0 bounds nothing.
	After, Until int
}

// A Report is what counts say of a board at a time. Spans are in seconds, drift in
// commits.
type Report struct {
	Tasks        Tasks
	Iterations   int
	ReviewCycles int
	Verdicts     Verdicts
	Failures     int // attempts to merge that failed
	Rework       Share
	LeadTime     Spread
	Working      Spread
	Waiting      Spread
	States       map[flow.Status]Spread // of the stays that ended
	Roles        map[flow.Role]Spread   // of the claims and reviews that ended
	Drift        Spread
	Usage        flow.Usage
	Uncounted    int // sessions that did not report their usage
	Budgets      []Spending
	Days         []Day
	Burndown     []SprintDay
	Rows         []Row
}

// Tasks are numbers of tasks.
type Tasks struct {
	States   map[flow.Status]int // at the end of the span
	Open     int                 // of them, those that are not final
	Merged   int                 // in the span
	Reverted int                 // of those merged ever, taken back since
}

// Verdicts are approvals and rejections. PerTask is the share of merged tasks that were
// never rejected.
type Verdicts struct {
	Approvals, Rejections int
	PerVerdict, PerTask   Share
}

// A Spending is a budget with what is spent of it.
type Spending struct {
	Of    string // the goal or sprint
	Limit flow.Budget
	Spent flow.Budget
}

// IsOver reports whether nothing of the budget is left.
func (s Spending) IsOver() bool {
	return s.Limit.Tokens > 0 && s.Spent.Tokens >= s.Limit.Tokens || s.Limit.Cost > 0 && s.Spent.Cost >= s.Limit.Cost
}

// A Share is a part of a whole.
type Share struct{ Part, Whole int }

// Of is the share as a number from 0 to 1; false if there is no whole.
func (s Share) Of() (float64, bool) {
	if s.Whole == 0 {
		return 0, false
	}
	return float64(s.Part) / float64(s.Whole), true
}

// Report is what the counts say.
func (n *Counts) Report(ask Ask) *Report {
	w := n.view(ask)
	r := &Report{Tasks: Tasks{States: map[flow.Status]int{}}, States: map[flow.Status]Spread{}, Roles: map[flow.Role]Spread{}}
	w.countTasks(r)
	w.countVerdicts(r)
	w.spreadTimes(r)
	for i := range w.sessions {
		s := &w.sessions[i]
		r.Usage = r.Usage.Plus(s.used)
		if !s.counted {
			r.Uncounted++
		}
	}
	r.Budgets = w.budgets(ask)
	r.Days = w.days()
	r.Burndown = w.burndown()
	if ask.By != "" {
		r.Rows = w.rows(ask.By)
	}
	return r
}

// A window is the part of the counts that a report is about.
type window struct {
	counts       *Counts
	goal         flow.GoalID
	since, now   int64
	first, final int     // numbers of moves: after the first, up to the final
	tasks        []*task // of the goal, added not after now
	sessions     []session
}

func (n *Counts) view(ask Ask) *window {
	if ask.Now.IsZero() {
		ask.Now = n.At()
	}
	w := &window{counts: n, goal: ask.Goal, since: seconds(ask.Since), now: seconds(ask.Now), first: ask.After, final: cmp.Or(ask.Until, n.last.n)}
	if ask.Since.IsZero() {
		w.since = -1 << 62
	}
	for _, t := range n.tasks {
		at, ok := t.membershipAt(w.now)
		if ok && (w.goal == "" || at.goal == w.goal) {
			w.tasks = append(w.tasks, t)
		}
	}
	for i := range n.sessions {
		if s := &n.sessions[i]; w.holds(s.at) && (w.goal == "" || s.goal == w.goal) {
			w.sessions = append(w.sessions, *s)
		}
	}
	return w
}

// holds reports whether a move is in the span.
func (w *window) holds(m moment) bool {
	return m.n > w.first && m.n <= w.final && m.at >= w.since && m.at <= w.now
}

// of reports whether a task is one of the goal, by then.
func (w *window) of(id flow.TaskID) bool {
	if w.goal == "" {
		return true
	}
	t := w.counts.byID[id]
	if t == nil {
		return false
	}
	at, ok := t.membershipAt(w.now)
	return ok && at.goal == w.goal
}

// membershipAt is that of the task at a time; false before it was added.
func (t *task) membershipAt(at int64) (membership, bool) {
	for _, m := range slices.Backward(t.memberships) {
		if m.since.at <= at {
			return m, true
		}
	}
	return membership{}, false
}

// statusAt is the state of the task at a time; 0 before it was added.
func (t *task) statusAt(at int64) flow.Status {
	for _, s := range slices.Backward(t.stays) {
		if s.since.at <= at {
			return s.status
		}
	}
	return 0
}

// merged is the move that brought the work to integration; false if none did by then.
func (t *task) merged(now int64) (moment, bool) {
	last := t.stays[len(t.stays)-1]
	return last.since, last.status.IsMerged() && last.since.at <= now
}

// claimedBy is the holder of the last claim up to a time, "" if there was none.
func (t *task) claimedBy(at int64) flow.Actor {
	for _, c := range slices.Backward(t.claims) {
		if c.at.at <= at {
			return c.by
		}
	}
	return ""
}

func (w *window) countTasks(r *Report) {
	for _, status := range flow.Statuses() {
		r.Tasks.States[status] = 0
	}
	for _, t := range w.tasks {
		status := t.statusAt(w.now)
		r.Tasks.States[status]++
		if !status.Final() {
			r.Tasks.Open++
		}
		if at, ok := t.merged(w.now); ok && w.holds(at) {
			r.Tasks.Merged++
		}
		if w.holds(t.reverted) {
			r.Tasks.Reverted++
		}
		for i, c := range t.claims {
			if w.holds(c.at) {
				r.Iterations++
				r.Rework.Whole++
				if i > 0 {
					r.Rework.Part++
				}
			}
		}
	}
}

func (w *window) countVerdicts(r *Report) {
	rejected := map[flow.TaskID]bool{}
	for _, v := range w.counts.verdicts {
		if !v.approved && v.at.at <= w.now {
			rejected[v.task] = true
		}
		switch {
		case !w.holds(v.at) || !w.of(v.task):
		case v.approved:
			r.Verdicts.Approvals++
		default:
			r.Verdicts.Rejections++
		}
	}
	r.ReviewCycles = r.Verdicts.Rejections
	r.Verdicts.PerVerdict = Share{r.Verdicts.Approvals, r.Verdicts.Approvals + r.Verdicts.Rejections}
	for _, t := range w.tasks {
		if at, ok := t.merged(w.now); ok && w.holds(at) {
			r.Verdicts.PerTask.Whole++
			if !rejected[t.id] {
				r.Verdicts.PerTask.Part++
			}
		}
	}
	for _, f := range w.counts.failures {
		if w.holds(f.at) && w.of(f.task) {
			r.Failures++
		}
	}
}

// spreadTimes finds how long tasks took, from end to end and in each state.
func (w *window) spreadTimes(r *Report) {
	var lead, working, waiting, drift samples
	stays, roles := map[flow.Status]samples{}, map[flow.Role]samples{}
	for _, t := range w.tasks {
		for i, s := range t.stays[:len(t.stays)-1] {
			if end := t.stays[i+1].since; w.holds(end) {
				stays[s.status] = append(stays[s.status], end.at-s.since.at)
			}
		}
		w.addWork(t, roles)
		at, ok := t.merged(w.now)
		if !ok || !w.holds(at) {
			continue
		}
		whole, worked := at.at-t.stays[0].since.at, t.working()
		lead, working, waiting = append(lead, whole), append(working, worked), append(waiting, whole-worked)
		if !t.adopted {
			drift = append(drift, int64(t.drift))
		}
	}
	r.LeadTime, r.Working, r.Waiting, r.Drift = lead.spread(), working.spread(), waiting.spread(), drift.spread()
	for status, list := range stays {
		r.States[status] = list.spread()
	}
	for role, list := range roles {
		r.Roles[role] = list.spread()
	}
}

// addWork adds how long the claims and reviews of a task took that ended in the span.
func (w *window) addWork(t *task, roles map[flow.Role]samples) {
	add := func(by flow.Actor, role flow.Role, begun, end int64) {
		if end >= w.since && end <= w.now {
			role = judgeRole(role, by)
			roles[role] = append(roles[role], end-begun)
		}
	}
	for i, s := range t.stays[:len(t.stays)-1] {
		if isClaimed(s.status) {
			end := t.stays[i+1].since.at
			add(t.claimedBy(end), "", s.since.at, end)
		}
	}
	for _, r := range t.reviews {
		if r.over {
			add(r.by, r.role, r.begun, r.end)
		}
	}
}

// working is the time in which somebody held the task or a live review of it.
func (t *task) working() (sum int64) {
	for i, s := range t.stays[:len(t.stays)-1] {
		begun, end := s.since.at, t.stays[i+1].since.at
		switch {
		case isClaimed(s.status):
			sum += end - begun
		case isSubmitted(s.status):
			var reviews []span
			for _, r := range t.reviews {
				reviews = append(reviews, span{max(r.begun, begun), min(r.end, end)})
			}
			sum += length(join(reviews))
		}
	}
	return sum
}

// budgets are those of the goals with open tasks, and of their open sprints.
func (w *window) budgets(ask Ask) (list []Spending) {
	add := func(of string, limit flow.Budget, pays func(*session) bool) {
		if limit == (flow.Budget{}) {
			return
		}
		var used flow.Usage
		for i := range w.counts.sessions {
			if s := &w.counts.sessions[i]; s.at.at <= w.now && pays(s) {
				used = used.Plus(s.used)
			}
		}
		list = append(list, Spending{of, limit, flow.Budget{Tokens: used.Tokens(), Cost: used.Cost}})
	}
	seen := map[flow.GoalID]bool{}
	for _, t := range w.tasks {
		in, _ := t.membershipAt(w.now)
		if seen[in.goal] || t.statusAt(w.now).Final() {
			continue
		}
		seen[in.goal] = true
		add(string(in.goal), ask.Budgets.Goal, func(s *session) bool { return s.goal == in.goal })
		for _, one := range w.counts.sprints {
			if one.goal == in.goal && one.begun.at <= w.now && (one.ended.n == 0 || one.ended.at > w.now) {
				add(string(one.id), ask.Budgets.Sprint, func(s *session) bool { return s.sprint == one.id })
			}
		}
	}
	return list
}
