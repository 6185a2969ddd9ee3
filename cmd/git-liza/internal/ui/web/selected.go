package web

import (
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// choose reads the words of the filter language that a page's address has, and leaves in
// the frame only that for which they hold.
func choose(v *visit) error {
	if !v.page.filters {
		return nil
	}
	var err error
	if v.words, err = view.ParseFilter([]string{v.query.Get("q")}); err != nil {
		return &flow.Refusal{Rule: flow.RuleUsage, Hint: "git liza help list", Reason: err.Error()}
	}
	if !v.words.IsEmpty() {
		v.frame = v.frame.selected(v.words, shownAt(v))
	}
	return nil
}

// shownAt is the time at which a page is shown, of a state of the past that of its last move.
func shownAt(v *visit) time.Time {
	if v.frame.Past {
		return v.frame.At
	}
	return v.now
}

// selected is the frame with the rows for which the words of a filter hold.
func (f *Frame) selected(words view.Filter, at time.Time) *Frame {
	tasks := view.TasksIn(f.Flow)
	find := func(id board.TaskID) *board.Summary { return tasks[id] }
	s := *f
	s.Inbox = f.Inbox.Select(words, find)
	s.Agents, s.Alarms = words.Agents(f.Agents, at, find), words.Alarms(f.Alarms, at, find)
	s.Flow, s.Log = words.Columns(f.Flow, at), words.Entries(f.Log, at, find)
	return &s
}

// finder finds summaries of tasks in any state, each once.
func finder(r view.Reading) func(board.TaskID) *board.Summary {
	known := map[board.TaskID]*board.Summary{}
	return func(id board.TaskID) *board.Summary {
		if id == "" {
			return nil
		}
		s, looked := known[id]
		if !looked {
			s = r.FindSummary(id)
			known[id] = s
		}
		return s
	}
}

// Filters reports whether the page has a field for the filter language.
func (v *visit) Filters() bool { return v.page.filters }

// Words are those of the filter that the page shows.
func (v *visit) Words() string { return strings.Join(strings.Fields(v.query.Get("q")), " ") }

// None is what a page says in place of an empty list. Where words chose, there may be more.
func (v *visit) None(text string) string {
	if v.words.IsEmpty() {
		return text
	}
	return "Nothing here for which these words hold."
}
