package supervise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// Bounds limit the number of sessions and the minutes that they take together, on one
// task and in one rush. A number that the user set always binds. Of the others, those
// of [defaultBounds] bind agents whose programs do not report what a budget counts.
type Bounds struct {
	TaskSessions, TaskMinutes int
	RushSessions, RushMinutes int
}

// defaultBounds leave room for work that goes well: a task takes two or three sessions,
// seldom over half an hour each.
var defaultBounds = Bounds{TaskSessions: 10, TaskMinutes: 120, RushSessions: 100, RushMinutes: 1440}

// withDefaults takes from y the numbers that x does not set.
func (x Bounds) withDefaults(y Bounds) Bounds {
	return Bounds{cmp.Or(x.TaskSessions, y.TaskSessions), cmp.Or(x.TaskMinutes, y.TaskMinutes),
		cmp.Or(x.RushSessions, y.RushSessions), cmp.Or(x.RushMinutes, y.RushMinutes)}
}

// String returns the bounds in words.
func (x Bounds) String() string {
	return fmt.Sprintf("%s and %s on a task, %d and %d in a rush (git config liza.task.sessions N, …minutes, liza.rush.…)",
		countNoun(x.TaskSessions, "session"), countNoun(x.TaskMinutes, "minute"), x.RushSessions, x.RushMinutes)
}

// A rushUsage sums up what the sessions of a rush used.
type rushUsage struct {
	mu                 sync.Mutex
	used               board.Usage
	uncounted          int                     // of its sessions, those that told nothing
	running            map[*session]time.Time  // since when
	uncountedProviders sharedMap[string, bool] // providers of which one was not counted
	merged             []board.TaskID          // in this order
}

func (u *rushUsage) beginSession(r *session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.running == nil {
		u.running = map[*session]time.Time{}
	}
	u.running[r] = r.started
}

// endSession adds a session that has ended. It returns true if this is the first
// session of its provider that reported no usage.
func (u *rushUsage) endSession(r *session, m *flow.SessionMove) (news bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.running, r)
	counted := m.Usage
	counted.Sessions = 1
	u.used = u.used.Plus(counted)
	if m.Counted() {
		return false
	}
	u.uncounted++
	return !u.uncountedProviders.put(m.Provider, true)
}

func (u *rushUsage) noteMerge(id board.TaskID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.Contains(u.merged, id) {
		u.merged = append(u.merged, id)
	}
}

// A Totals is the result of a rush.
type Totals struct {
	Merged    []board.TaskID // in the order of their merges
	Used      board.Usage    // by its own sessions that are over
	Uncounted int            // of them, those that told nothing
}

// Total returns the result of the rush so far.
func (r *Rush) Total() Totals {
	u := &r.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	return Totals{slices.Clone(u.merged), u.used, u.uncounted}
}

// A sessionTime is a number of sessions and the minutes that they took together.
type sessionTime struct{ sessions, minutes int }

// sessionsAndMinutes counts the sessions that have ended and those that run.
func (u *rushUsage) sessionsAndMinutes() sessionTime {
	u.mu.Lock()
	defer u.mu.Unlock()
	took := time.Duration(u.used.Seconds) * time.Second
	for _, began := range u.running {
		took += time.Since(began)
	}
	return sessionTime{u.used.Sessions + len(u.running), int(took / time.Minute)}
}

// uncountedWords names what a budget counts and the provider does not report: tokens,
// dollars, or both. It returns "" if the budgets bind.
func (u *rushUsage) uncountedWords(p provider.Provider, budgets ...board.Budget) string {
	var words []string
	never := func(c provider.Count) bool {
		return c == provider.CountsNever || c != provider.CountsFree && u.uncountedProviders.at(p.Name)
	}
	if never(p.Tokens) && slices.ContainsFunc(budgets, func(b board.Budget) bool { return b.Tokens != 0 }) {
		words = append(words, "tokens")
	}
	if never(p.Cost) && slices.ContainsFunc(budgets, func(b board.Budget) bool { return b.Cost != 0 }) {
		words = append(words, "dollars")
	}
	return strings.Join(words, " or ")
}

// UnboundLines returns a line for each provider whose sessions the board's budgets
// cannot bind, or have no number for.
func UnboundLines(b *board.Board, bounds Bounds, slots []Slot) (lines []string) {
	lines = new(rushUsage).unboundLines(b, bounds, slots)
	for _, slot := range slots {
		p, line := slot.Provider, "no budget is set, so nothing but the clock bounds what "+slot.Provider.Name+" uses; git liza config budgets.goal.tokens 5000000"
		if bounds == (Bounds{}) && b.Settings().Config.Budgets == (board.Budgets{}) && (p.Tokens == provider.CountsCalls || p.Tokens == provider.CountsEnd) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func (u *rushUsage) unboundLines(b *board.Board, bounds Bounds, slots []Slot) (lines []string) {
	set := b.Settings().Config.Budgets
	for _, slot := range slots {
		what := u.uncountedWords(slot.Provider, set.Session, set.Task, set.Sprint, set.Goal)
		line := fmt.Sprintf("budgets do not bind: %s reports no %s; instead there are at most %s", slot.Provider.Name, what, bounds.withDefaults(defaultBounds))
		if what != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// boundsFor returns the bounds on a session of the agent on a task, or of a planner if
// id is "". why says what the budget cannot count; it is "" if the user set the bounds.
func (reg *registration) boundsFor(b *board.Board, id board.TaskID) (bounds Bounds, why string) {
	return reg.rush.Bounds.bind(b, id, reg.provider, &reg.rush.usage)
}

// bind returns the bounds on a session of p on a task, and why they are not x alone.
func (x Bounds) bind(b *board.Board, id board.TaskID, p provider.Provider, u *rushUsage) (bounds Bounds, why string) {
	left, _ := flow.RemainingBudget(b, "", id)
	if what := u.uncountedWords(p, left); what != "" {
		return x.withDefaults(defaultBounds), "; its budget does not bind, since " + p.Name + " reports no " + what
	}
	return x, ""
}

// checkTaskBounds refuses, by the rule budget, one more session on a task that has used
// up its bounds.
func (reg *registration) checkTaskBounds(b *board.Board, id board.TaskID) *flow.Refusal {
	return reg.rush.Bounds.checkTask(b, b.Task(id), reg.provider, &reg.rush.usage)
}

// CheckTask refuses, by the rule budget, one more session of a provider on a task that
// has used up its bounds.
func (x Bounds) CheckTask(b *board.Board, t *board.Task, p provider.Provider) *flow.Refusal {
	return x.checkTask(b, t, p, new(rushUsage))
}

func (x Bounds) checkTask(b *board.Board, t *board.Task, p provider.Provider, u *rushUsage) *flow.Refusal {
	if t == nil {
		return nil
	}
	bounds, why := x.bind(b, t.ID, p, u)
	used := sessionTime{t.Usage.Sessions, int(t.Usage.Seconds / 60)}
	return overBounds(string(t.ID), "task", used, sessionTime{bounds.TaskSessions, bounds.TaskMinutes}, why)
}

// checkRushBounds refuses, by the rule budget, one more session in a rush that has used
// up its bounds.
func (reg *registration) checkRushBounds(b *board.Board) *flow.Refusal {
	bounds, why := reg.boundsFor(b, "")
	return overBounds("this rush", "rush", reg.rush.usage.sessionsAndMinutes(), sessionTime{bounds.RushSessions, bounds.RushMinutes}, why)
}

// overBounds refuses one more session on a task or in a rush, called words, that has
// used as much as most allows; 0 in most is no bound. key is the part of the setting's
// name, and why follows the reason.
func overBounds(words, key string, used, most sessionTime, why string) *flow.Refusal {
	switch {
	case most.sessions > 0 && used.sessions >= most.sessions:
		return &flow.Refusal{Rule: flow.RuleBudget, Reason: fmt.Sprintf("%s has had %d of %d sessions%s", words, used.sessions, most.sessions, why),
			Hint: fmt.Sprintf("git config liza.%s.sessions %d", key, used.sessions+most.sessions)}
	case most.minutes > 0 && used.minutes >= most.minutes:
		return &flow.Refusal{Rule: flow.RuleBudget, Reason: fmt.Sprintf("the sessions of %s have taken %d of %d minutes%s", words, used.minutes, most.minutes, why),
			Hint: fmt.Sprintf("git config liza.%s.minutes %d", key, used.minutes+most.minutes)}
	}
	return nil
}

// refuseSession refuses, by the rule budget, one more session on a task, or of a planner for a
// goal if id is "", that the budget or the bounds do not allow.
func (reg *registration) refuseSession(b *board.Board, goal board.GoalID, id board.TaskID) *flow.Refusal {
	return cmp.Or(flow.CheckBudget(b, goal, id), reg.checkBounds(b, id))
}

// checkBounds refuses a session on a task, or of a planner if id is "", that the bounds
// do not allow.
func (reg *registration) checkBounds(b *board.Board, id board.TaskID) *flow.Refusal {
	return cmp.Or(reg.checkRushBounds(b), reg.checkTaskBounds(b, id))
}
