package metrics

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// An Ask says what to report.
type Ask struct {
	By      By            // how the rows are divided; "" asks for none
	Goal    board.GoalID  // "" is all goals
	Since   time.Time     // only what happened from then on; zero is the first move
	Now     time.Time     // as it was then; zero is after the last move
	Budgets board.Budgets // of the board

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
	States       map[board.Status]Spread // of the stays that ended
	Roles        map[board.Role]Spread   // of the claims and reviews that ended
	Drift        Spread
	Usage        board.Usage
	Uncounted    int // sessions that did not report their usage
	Budgets      []Spending
	Days         []Day
	Burndown     []SprintDay
	Rows         []Row
}

// Tasks are numbers of tasks.
type Tasks struct {
	States   map[board.Status]int // at the end of the span
	Open     int                  // of them, those that are not final
	Merged   int                  // in the span
	Reverted int                  // of those merged ever, taken back since
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
	Limit board.Budget
	Spent board.Budget
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
	r := &Report{Tasks: Tasks{States: map[board.Status]int{}}, States: map[board.Status]Spread{}, Roles: map[board.Role]Spread{}}
	w.countTasks(r)
	w.countVerdicts(r)
	w.spreadTimes(r)
	for i := range w.sessions {
		s := &w.sessions[i]
		r.Usage = r.Usage.Plus(s.Used)
		if !s.Counted {
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
	goal         board.GoalID
	since, now   int64
	first, final int     // numbers of moves: after the first, up to the final
	tasks        []*task // of the goal, added not after now
	sessions     []session
}

func (n *Counts) view(ask Ask) *window {
	if ask.Now.IsZero() {
		ask.Now = n.At()
	}
	w := &window{counts: n, goal: ask.Goal, since: seconds(ask.Since), now: seconds(ask.Now), first: ask.After, final: cmp.Or(ask.Until, n.Last.N)}
	if ask.Since.IsZero() {
		w.since = -1 << 62
	}
	for _, t := range n.Tasks {
		at, ok := t.membershipAt(w.now)
		if ok && (w.goal == "" || at.Goal == w.goal) {
			w.tasks = append(w.tasks, t)
		}
	}
	for i := range n.Sessions {
		if s := &n.Sessions[i]; w.holds(s.At) && (w.goal == "" || s.Goal == w.goal) {
			w.sessions = append(w.sessions, *s)
		}
	}
	return w
}

// holds reports whether a move is in the span.
func (w *window) holds(m moment) bool {
	return m.N > w.first && m.N <= w.final && m.At >= w.since && m.At <= w.now
}

// of reports whether a task is one of the goal, by then.
func (w *window) of(id board.TaskID) bool {
	if w.goal == "" {
		return true
	}
	t := w.counts.byID[id]
	if t == nil {
		return false
	}
	at, ok := t.membershipAt(w.now)
	return ok && at.Goal == w.goal
}

// membershipAt is that of the task at a time; false before it was added.
func (t *task) membershipAt(at int64) (membership, bool) {
	for _, m := range slices.Backward(t.Memberships) {
		if m.Since.At <= at {
			return m, true
		}
	}
	return membership{}, false
}

// statusAt is the state of the task at a time; 0 before it was added.
func (t *task) statusAt(at int64) board.Status {
	for _, s := range slices.Backward(t.Stays) {
		if s.Since.At <= at {
			return s.Status
		}
	}
	return 0
}

// merged is the move that brought the work to integration; false if none did by then.
func (t *task) merged(now int64) (moment, bool) {
	last := t.Stays[len(t.Stays)-1]
	return last.Since, last.Status.IsMerged() && last.Since.At <= now
}

// claimedBy is the holder of the last claim up to a time, "" if there was none.
func (t *task) claimedBy(at int64) board.Actor {
	for _, c := range slices.Backward(t.Claims) {
		if c.At.At <= at {
			return c.By
		}
	}
	return ""
}

func (w *window) countTasks(r *Report) {
	for _, status := range board.Statuses() {
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
		if w.holds(t.Reverted) {
			r.Tasks.Reverted++
		}
		for i, c := range t.Claims {
			if w.holds(c.At) {
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
	rejected := map[board.TaskID]bool{}
	for _, v := range w.counts.Verdicts {
		if !v.Approved && v.At.At <= w.now {
			rejected[v.Task] = true
		}
		switch {
		case !w.holds(v.At) || !w.of(v.Task):
		case v.Approved:
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
			if !rejected[t.ID] {
				r.Verdicts.PerTask.Part++
			}
		}
	}
	for _, f := range w.counts.Failures {
		if w.holds(f.At) && w.of(f.Task) {
			r.Failures++
		}
	}
}

// spreadTimes finds how long tasks took, from end to end and in each state.
func (w *window) spreadTimes(r *Report) {
	var lead, working, waiting, drift samples
	stays, roles := map[board.Status]samples{}, map[board.Role]samples{}
	for _, t := range w.tasks {
		for i, s := range t.Stays[:len(t.Stays)-1] {
			if end := t.Stays[i+1].Since; w.holds(end) {
				stays[s.Status] = append(stays[s.Status], end.At-s.Since.At)
			}
		}
		w.addWork(t, roles)
		at, ok := t.merged(w.now)
		if !ok || !w.holds(at) {
			continue
		}
		whole, worked := at.At-t.Stays[0].Since.At, t.working()
		lead, working, waiting = append(lead, whole), append(working, worked), append(waiting, whole-worked)
		if !t.Adopted {
			drift = append(drift, int64(t.Drift))
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
func (w *window) addWork(t *task, roles map[board.Role]samples) {
	add := func(by board.Actor, role board.Role, begun, end int64) {
		if end >= w.since && end <= w.now {
			role = judgeRole(role, by)
			roles[role] = append(roles[role], end-begun)
		}
	}
	for i, s := range t.Stays[:len(t.Stays)-1] {
		if isClaimed(s.Status) {
			end := t.Stays[i+1].Since.At
			add(t.claimedBy(end), "", s.Since.At, end)
		}
	}
	for _, r := range t.Reviews {
		if r.Over {
			add(r.By, r.Role, r.Begun, r.End)
		}
	}
}

// working is the time in which somebody held the task or a live review of it.
func (t *task) working() (sum int64) {
	for i, s := range t.Stays[:len(t.Stays)-1] {
		begun, end := s.Since.At, t.Stays[i+1].Since.At
		switch {
		case isClaimed(s.Status):
			sum += end - begun
		case isSubmitted(s.Status):
			sum += length(join(lists.Of(t.Reviews, func(r review) span { return span{max(r.Begun, begun), min(r.End, end)} })))
		}
	}
	return sum
}

// budgets are those of the goals with open tasks, and of their open sprints.
func (w *window) budgets(ask Ask) (list []Spending) {
	add := func(of string, limit board.Budget, pays func(*session) bool) {
		if limit == (board.Budget{}) {
			return
		}
		var used board.Usage
		for i := range w.counts.Sessions {
			if s := &w.counts.Sessions[i]; s.At.At <= w.now && pays(s) {
				used = used.Plus(s.Used)
			}
		}
		list = append(list, Spending{of, limit, board.Budget{Tokens: used.Tokens(), Cost: used.Cost}})
	}
	seen := map[board.GoalID]bool{}
	for _, t := range w.tasks {
		in, _ := t.membershipAt(w.now)
		if seen[in.Goal] || t.statusAt(w.now).Final() {
			continue
		}
		seen[in.Goal] = true
		add(string(in.Goal), ask.Budgets.Goal, func(s *session) bool { return s.Goal == in.Goal })
		for _, one := range w.counts.Sprints {
			if one.Goal == in.Goal && one.Begun.At <= w.now && (one.Ended.N == 0 || one.Ended.At > w.now) {
				add(string(one.ID), ask.Budgets.Sprint, func(s *session) bool { return s.Sprint == one.ID })
			}
		}
	}
	return list
}
