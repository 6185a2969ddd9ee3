package supervise

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
)

// Bounds say how many sessions there may be, and how many minutes they may take
// together, on one task and in one rush. A number that is set always binds; one
// that is not binds, as in [defaultBounds], agents whose programs do not tell
// what a budget counts.
type Bounds struct {
	TaskSessions, TaskMinutes int
	RushSessions, RushMinutes int
}

// defaultBounds are generous for work that goes well: a task has two or three
// sessions, seldom over half an hour each.
var defaultBounds = Bounds{TaskSessions: 10, TaskMinutes: 120, RushSessions: 100, RushMinutes: 1440}

// or fills in what is not set.
func (x Bounds) or(y Bounds) Bounds {
	fill := func(n *int, other int) {
		if *n == 0 {
			*n = other
		}
	}
	fill(&x.TaskSessions, y.TaskSessions)
	fill(&x.TaskMinutes, y.TaskMinutes)
	fill(&x.RushSessions, y.RushSessions)
	fill(&x.RushMinutes, y.RushMinutes)
	return x
}

// String is the bounds in words.
func (x Bounds) String() string {
	return fmt.Sprintf("%d sessions and %d minutes on a task, %d and %d in a rush (git config liza.task.sessions N, …minutes, liza.rush.…)",
		x.TaskSessions, x.TaskMinutes, x.RushSessions, x.RushMinutes)
}

// A tab is what the sessions of a rush have used.
type tab struct {
	mu        sync.Mutex
	used      flow.Usage
	uncounted int                  // of its sessions, those that told nothing
	running   map[*run]time.Time   // since when
	mute      map[string]bool      // providers of which one was not counted
	merged    map[flow.TaskID]bool // tasks
}

func (t *tab) begin(r *run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running == nil {
		t.running = map[*run]time.Time{}
	}
	t.running[r] = r.started
}

// end counts a session that is over; it is true if it is the first of its
// provider that could not be counted.
func (t *tab) end(r *run, m *flow.SessionMove) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, r)
	counted := m.Usage
	counted.Sessions = 1
	t.used = t.used.Plus(counted)
	if m.Counted() {
		return false
	}
	t.uncounted++
	if t.mute == nil {
		t.mute = map[string]bool{}
	}
	news = !t.mute[m.Provider]
	t.mute[m.Provider] = true
	return news
}

func (t *tab) merge(id flow.TaskID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.merged == nil {
		t.merged = map[flow.TaskID]bool{}
	}
	t.merged[id] = true
}

// A Sum is what came of a rush.
type Sum struct {
	Merged    int        // tasks
	Used      flow.Usage // by its own sessions that are over
	Uncounted int        // of them, those that told nothing
}

// Sum is what has come of the rush so far.
func (r *Rush) Sum() Sum {
	t := &r.tab
	t.mu.Lock()
	defer t.mu.Unlock()
	return Sum{len(t.merged), t.used, t.uncounted}
}

// sum is how many sessions there were and are, and their minutes together.
func (t *tab) sum() (sessions, minutes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	took := time.Duration(t.used.Seconds) * time.Second
	for _, began := range t.running {
		took += time.Since(began)
	}
	return t.used.Sessions + len(t.running), int(took / time.Minute)
}

// isMute reports whether a session of a provider could not be counted.
func (t *tab) isMute(provider string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mute[provider]
}

// untold is what a budget counts and a provider does not tell: tokens, dollars,
// both, or "" where it binds.
func (t *tab) untold(p provider.Provider, budgets ...flow.Budget) string {
	var words []string
	never := func(c provider.Count) bool {
		return c == provider.CountsNever || c != provider.CountsFree && t.isMute(p.Name)
	}
	if never(p.Tokens) && slices.ContainsFunc(budgets, func(b flow.Budget) bool { return b.Tokens != 0 }) {
		words = append(words, "tokens")
	}
	if never(p.Cost) && slices.ContainsFunc(budgets, func(b flow.Budget) bool { return b.Cost != 0 }) {
		words = append(words, "dollars")
	}
	return strings.Join(words, " or ")
}

// Unbound is a line for each of the providers whose sessions the budgets of a board
// cannot bind; an empty list where all do.
func Unbound(b *flow.Board, bounds Bounds, posts []Post) (lines []string) {
	return new(tab).unbound(b, bounds, posts)
}

func (t *tab) unbound(b *flow.Board, bounds Bounds, posts []Post) (lines []string) {
	set := b.Settings().Config.Budgets
	for _, post := range posts {
		what := t.untold(post.Provider, set.Task, set.Sprint, set.Goal)
		line := fmt.Sprintf("budgets do not bind: %s reports no %s; instead there are at most %s", post.Provider.Name, what, bounds.or(defaultBounds))
		if what != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// binding are the bounds on a piece of work of the supervisor's; why says what
// its budget cannot count, "" if the bounds are there because somebody set them.
func (s *supervisor) binding(b *flow.Board, id flow.TaskID) (bounds Bounds, why string) {
	bounds = s.rush.Bounds
	left, _ := b.Left(id)
	if what := s.rush.tab.untold(s.provider, left); what != "" {
		return bounds.or(defaultBounds), "; its budget does not bind, since " + s.provider.Name + " reports no " + what
	}
	return bounds, ""
}

// exceeded refuses, by the rule budget, one more session on a task that has had as
// many as the bounds allow.
func (s *supervisor) exceeded(b *flow.Board, id flow.TaskID) *flow.Refusal {
	t := b.Task(id)
	if t == nil {
		return nil
	}
	bounds, why := s.binding(b, id)
	return over(string(id), "task", t.Usage.Sessions, int(t.Usage.Seconds/60), bounds.TaskSessions, bounds.TaskMinutes, why)
}

// exhausted refuses, by the rule budget, to begin anything more in the rush.
func (s *supervisor) exhausted(b *flow.Board) *flow.Refusal {
	sessions, minutes := s.rush.tab.sum()
	bounds, why := s.binding(b, "")
	return over("this rush", "rush", sessions, minutes, bounds.RushSessions, bounds.RushMinutes, why)
}

func over(of, key string, sessions, minutes, mostSessions, mostMinutes int, why string) *flow.Refusal {
	switch {
	case mostSessions > 0 && sessions >= mostSessions:
		return &flow.Refusal{Rule: flow.RuleBudget, Reason: fmt.Sprintf("%s has had %d of %d sessions%s", of, sessions, mostSessions, why),
			Hint: fmt.Sprintf("git config liza.%s.sessions %d", key, sessions+mostSessions)}
	case mostMinutes > 0 && minutes >= mostMinutes:
		return &flow.Refusal{Rule: flow.RuleBudget, Reason: fmt.Sprintf("the sessions of %s have taken %d of %d minutes%s", of, minutes, mostMinutes, why),
			Hint: fmt.Sprintf("git config liza.%s.minutes %d", key, minutes+mostMinutes)}
	}
	return nil
}

// allows refuses to begin a session on a task, or with "" a planner's, that the
// bounds do not allow.
func (s *supervisor) allows(b *flow.Board, id flow.TaskID) *flow.Refusal {
	if r := s.exhausted(b); r != nil {
		return r
	}
	return s.exceeded(b, id)
}

// counts reports whether what a session used is known. That of a program which
// never came to ask its model is: nothing.
func (s *supervisor) counts(ending provider.Ending, used flow.Usage) bool {
	return used.Input+used.Output > 0 || used.Cost > 0 || s.provider.Tokens == provider.CountsFree || ending.Trouble != nil && ending.Report.Turns == 0
}
