package metrics

import (
	"time"

	"github.com/git-liza/git-liza/flow"
)

// burnWindow is how much work the rate of spending looks back on, in seconds: the time in
// which at least one session ran.
const burnWindow = int64(24 * time.Hour / time.Second)

// A Burn is how fast sessions use tokens and money.
type Burn struct {
	Sessions int       // that it was counted of
	Work     int64     // seconds in which at least one of them ran
	Tokens   int64     // of an hour of work
	Cost     flow.Cost // of an hour of work
}

// A BudgetBurn is a budget with what is spent of it.
type BudgetBurn struct {
	Of    string // the goal or sprint
	Limit flow.Budget
	Spent flow.Budget
	Ends  int64 // see [Burn.Ends]
}

// burnOf is the rate of the last sessions, as many as took the window.
func burnOf(sessions []session, window int64) (b Burn) {
	var ran []span
	var used flow.Usage
	for i := len(sessions) - 1; i >= 0 && b.Work < window; i-- {
		s := &sessions[i]
		if !s.counted {
			continue
		}
		ran = join(append(ran, span{s.at.at - s.used.Seconds, s.at.at}))
		b.Work = length(ran)
		b.Sessions++
		used = used.Plus(s.used)
	}
	if b.Work > 0 {
		perHour := float64(time.Hour/time.Second) / float64(b.Work)
		b.Tokens = int64(float64(used.Tokens())*perHour + 0.5)
		b.Cost = flow.Cost(float64(used.Cost)*perHour + 0.5)
	}
	return b
}

// Ends is in how many seconds of work at this rate the limit is spent, -1 if it never is,
// or nobody knows.
func (b Burn) Ends(limit, spent flow.Budget) int64 {
	first := int64(-1)
	compare := func(limit, spent, rate int64) {
		if limit <= 0 {
			return
		}
		left := limit - spent
		if left <= 0 {
			first = 0
			return
		}
		if rate <= 0 {
			return
		}
		if end := int64(float64(left) / float64(rate) * 3600); first < 0 || end < first {
			first = end
		}
	}
	compare(limit.Tokens, spent.Tokens, b.Tokens)
	compare(int64(limit.Cost), int64(spent.Cost), int64(b.Cost))
	return first
}

// until are the sessions of a goal, "" is all, up to now, whatever the span.
func (w *window) until(goal flow.GoalID) []session {
	return w.sessionsOf(func(s *session) bool { return goal == "" || s.goal == goal })
}

func (w *window) sessionsOf(of func(*session) bool) (list []session) {
	for i := range w.counts.sessions {
		if s := &w.counts.sessions[i]; s.at.at <= w.now && of(s) {
			list = append(list, *s)
		}
	}
	return list
}

// budgets are those of the goals with open tasks, and of their open sprints.
func (w *window) budgets(ask Ask) (list []BudgetBurn) {
	add := func(of string, limit flow.Budget, sessions []session, rate Burn) {
		if limit == (flow.Budget{}) {
			return
		}
		var used flow.Usage
		for i := range sessions {
			used = used.Plus(sessions[i].used)
		}
		spent := flow.Budget{Tokens: used.Tokens(), Cost: used.Cost}
		list = append(list, BudgetBurn{of, limit, spent, rate.Ends(limit, spent)})
	}
	seen := map[flow.GoalID]bool{}
	for _, t := range w.tasks {
		in, _ := t.membershipAt(w.now)
		if seen[in.goal] || t.statusAt(w.now).Final() {
			continue
		}
		seen[in.goal] = true
		sessions := w.until(in.goal)
		rate := burnOf(sessions, burnWindow)
		add(string(in.goal), ask.Budgets.Goal, sessions, rate)
		for _, s := range w.counts.sprints {
			if s.goal == in.goal && s.openAt(w.now) {
				add(string(s.id), ask.Budgets.Sprint, w.sessionsOf(func(one *session) bool { return one.sprint == s.id }), rate)
			}
		}
	}
	return list
}

func (s *sprint) openAt(at int64) bool {
	return s.begun.at <= at && (s.ended.n == 0 || s.ended.at > at)
}
