package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
)

// A Filter selects tasks, and what is about them. The zero value selects all that are not
// archived.
type Filter struct {
	Status   []board.Status // only these, unless there is none
	Goal     board.GoalID   // only of this goal, unless it is ""
	Mine     board.Actor    // only open tasks that this actor holds, reviews or worked on last, unless it is ""
	Ready    bool           // only tasks that the asker could claim now
	Archived bool           // archived tasks too

	terms []term
}

// A term is one word of the filter language. It holds for a value that is one of several.
type term struct {
	key   string
	any   []string // in lower case
	older bool     // of an age: more than the span, else less
	span  time.Duration
}

// The keys of the filter language, and what stands behind them.
const (
	statusTerm = "status"
	agentTerm  = "agent"
	goalTerm   = "goal"
	sprintTerm = "sprint"
	roleTerm   = "role"
	kindTerm   = "kind"
	labelTerm  = "label"
	levelTerm  = "level"
	phaseTerm  = "phase"
	pathTerm   = "path"
	ageTerm    = "age"
	textTerm   = "text"
)

// filterKeys are the forms of the words of the filter language.
const filterKeys = "status:blocked, agent:coder-2, goal:goal-1, sprint:sprint-1, role:coder, kind:docs, label:api, level:2, phase:design, path:auth/, age:>1h, age:<2d, text:WORD or only WORD"

// ParseFilter reads words of the filter language, such as status:blocked agent:coder-2
// age:>1h path:auth/. All of them must hold. Values with commas between them mean any of
// these, except of text. A word without a key is text. Blanks in a word part it.
func ParseFilter(words []string) (Filter, error) {
	var f Filter
	for word := range strings.FieldsSeq(strings.Join(words, " ")) {
		t, err := parseTerm(word)
		if err != nil {
			return Filter{}, err
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

func parseTerm(word string) (term, error) {
	// age>1h is age:>1h.
	if rest, ok := strings.CutPrefix(strings.ToLower(word), ageTerm); ok && strings.IndexAny(rest, "<>") == 0 {
		word = ageTerm + ":" + rest
	}
	key, value, keyed := strings.Cut(word, ":")
	if !keyed {
		return term{key: textTerm, any: []string{strings.ToLower(word)}}, nil
	}
	t := term{key: strings.ToLower(key)}
	if value == "" {
		return t, fmt.Errorf("%s: of the filter has no value; it has words like %s", board.Excerpt(key, 80), filterKeys)
	}
	switch t.key {
	case ageTerm:
		return t, t.parseAge(value)
	case textTerm:
		t.any = []string{strings.ToLower(value)}
		return t, nil
	case pathTerm:
		t.any = strings.Split(value, ",")
		return t, nil
	case statusTerm:
		t.any = strings.Split(strings.ReplaceAll(strings.ToLower(value), "-", "_"), ",")
		return t, checkStates(t.any)
	case levelTerm:
		t.any = lists.Of(strings.Split(strings.ToLower(value), ","), func(one string) string { return strings.TrimPrefix(one, "l") })
		return t, checkLevels(t.any)
	case agentTerm, goalTerm, sprintTerm, roleTerm, kindTerm, labelTerm, phaseTerm:
		t.any = strings.Split(strings.ToLower(value), ",")
		return t, nil
	}
	return t, fmt.Errorf("a filter has no key %q; it has words like %s", board.Excerpt(key, 80), filterKeys)
}

// parseAge reads >1h, <2d; without a sign the age is more.
func (t *term) parseAge(value string) error {
	t.older = !strings.HasPrefix(value, "<")
	span, ok := gitstore.ParseSpan(strings.TrimLeft(value, "<>="))
	if t.span = span; !ok {
		return fmt.Errorf("%q is no age; a filter has age:>1h or age:<2d, with a span such as %s", board.Excerpt(value, 80), gitstore.SpanForms)
	}
	return nil
}

// The states of tasks that are no single one.
const (
	openStates  = "open"
	finalStates = "final"
)

func checkStates(names []string) error {
	states := lists.Of(board.Statuses(), func(s board.Status) string { return strings.ToLower(s.String()) })
	known := append([]string{openStates, finalStates}, states...)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no task is ever %q; a filter knows status:%s", board.Excerpt(name, 80), strings.Join(known, ", status:"))
		}
	}
	return nil
}

func checkLevels(numbers []string) error {
	for _, text := range numbers {
		if n, err := strconv.Atoi(text); err != nil || n < 1 || text != strconv.Itoa(n) {
			return fmt.Errorf("%q is no level; a filter has level:2 or level:1,3", board.Excerpt(text, 80))
		}
	}
	return nil
}

// IsEmpty reports whether the filter has no words.
func (f Filter) IsEmpty() bool { return len(f.terms) == 0 }

// Match reports whether the words of the filter hold for a task at a time.
func (f Filter) Match(t *board.Summary, at time.Time) bool {
	return f.all(func(one *term) bool { return one.holds(t, at) })
}

// all reports whether all words of the filter hold.
func (f Filter) all(holds func(*term) bool) bool {
	return !slices.ContainsFunc(f.terms, func(t term) bool { return !holds(&t) })
}

// holds reports whether a term holds for a task.
func (t *term) holds(s *board.Summary, at time.Time) bool {
	switch t.key {
	case statusTerm:
		return t.is(s.Status.String()) || t.is(openStates) && !s.Status.Final() || t.is(finalStates) && s.Status.Final()
	case agentTerm:
		return t.is(string(s.Coder)) || slices.ContainsFunc(s.Judges, func(j board.Judge) bool { return t.is(string(j.By)) })
	case goalTerm:
		return t.is(string(s.Goal))
	case sprintTerm:
		return t.is(string(s.Sprint))
	case roleTerm:
		return t.is(s.Role.String()) || slices.ContainsFunc(s.Judges, func(j board.Judge) bool { return t.is(j.Role.String()) })
	case kindTerm:
		return t.is(s.Kind.String())
	case labelTerm:
		return slices.ContainsFunc(s.Labels, t.is)
	case levelTerm:
		return t.is(strconv.Itoa(s.Level))
	case phaseTerm:
		return t.is(string(s.Phase))
	case pathTerm:
		return t.touches(s.Owns) || t.touches([]string{s.Spec})
	case ageTerm:
		return t.isAge(at, s.Changed)
	}
	return t.occurs(string(s.ID), s.Title, s.Reason)
}

// is reports whether a value is one of those of the term. "" is none.
func (t *term) is(value string) bool {
	return value != "" && slices.Contains(t.any, strings.ToLower(value))
}

// touches reports whether one of the globs can match what lies at or below the paths of
// the term.
func (t *term) touches(globs []string) bool {
	return slices.ContainsFunc(globs, func(pattern string) bool {
		return slices.ContainsFunc(t.any, func(at string) bool {
			return at != "" && pattern != "" && (glob.Overlap(pattern, at) || !strings.HasSuffix(at, "/") && glob.Overlap(pattern, at+"/"))
		})
	})
}

func (t *term) isAge(at, since time.Time) bool {
	return !since.IsZero() && at.Sub(since) > t.span == t.older
}

// occurs reports whether the text of the term occurs in one of the texts, in letters of
// either case.
func (t *term) occurs(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), t.any[0]) })
}

// matchItem reports whether the words hold for an item of an inbox: kind, age and text of
// itself, the rest of the task, goal or agent that it is about.
func (f Filter) matchItem(i *Item, at time.Time, find func(board.TaskID) *board.Summary) bool {
	return f.all(func(t *term) bool {
		own := false
		switch t.key {
		case ageTerm:
			return t.isAge(at, i.since)
		case textTerm:
			return t.occurs(i.Kind, i.Subject, i.Text)
		case kindTerm:
			own = t.is(i.Kind)
		case agentTerm, goalTerm:
			own = t.is(i.Subject)
		}
		if own {
			return true
		}
		s := find(cmp.Or(i.task, board.TaskID(i.Subject)))
		return s != nil && t.holds(s, at)
	})
}

// FindSummary finds the summary of a task in any state, nil if there is none.
func (r Reading) FindSummary(id board.TaskID) *board.Summary {
	t := r.Board.Task(id)
	if t == nil {
		return nil
	}
	s := t.Summary()
	return &s
}

// Alarms returns the alarms for which the words hold, as for items of the inbox.
func (f Filter) Alarms(list []Alarm, at time.Time, find func(board.TaskID) *board.Summary) []Alarm {
	return selected(list, func(a *Alarm) bool {
		return f.matchItem(&Item{Kind: string(a.Kind), Subject: a.Subject, Text: a.Text, since: a.Since}, at, find)
	})
}

// Entries returns the moves for which the words hold, see [Filter.MatchEntry].
func (f Filter) Entries(list []Entry, at time.Time, find func(board.TaskID) *board.Summary) []Entry {
	return selected(list, func(e *Entry) bool { return f.MatchEntry(e, at, find) })
}

// Columns returns the columns with the tasks for which the words hold.
func (f Filter) Columns(list []Column, at time.Time) []Column {
	list = slices.Clone(list)
	for i := range list {
		c := &list[i]
		c.Rows = selected(c.Rows, func(r **FlowRow) bool { return f.Match((*r).task, at) })
		c.Count = len(c.Rows)
	}
	return list
}

// selected returns the elements that are wanted, in a list of its own.
func selected[T any](list []T, wanted func(*T) bool) []T {
	kept := []T{}
	for i := range list {
		if wanted(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// MatchEntry reports whether the words hold for a move: agent, age and text of itself, the
// rest of its task.
func (f Filter) MatchEntry(e *Entry, at time.Time, find func(board.TaskID) *board.Summary) bool {
	i := Item{Subject: string(e.Move.By), Text: e.ShortLine(), since: e.Move.At, task: e.Move.Task}
	return f.matchItem(&i, at, find)
}

// Select returns the part of the inbox for which the words of a filter hold; the numbers
// are of that part. find returns the summary of a task, nil if there is none.
func (in *Inbox) Select(f Filter, find func(board.TaskID) *board.Summary) *Inbox {
	if f.IsEmpty() {
		return in
	}
	part := &Inbox{Items: []Item{}, triggers: in.triggers, at: in.at, of: len(in.Items)}
	for _, i := range in.All().Items {
		if f.matchItem(&i, in.at, find) {
			part.put(i)
		}
	}
	return part
}

// Agents returns the agents for which the words hold: id, role and text of themselves, the
// rest of their tasks.
func (f Filter) Agents(list []Agent, at time.Time, find func(board.TaskID) *board.Summary) []Agent {
	return selected(list, func(a *Agent) bool { return f.matchAgent(a, find(a.Task), at) })
}

// matchAgent reports whether the words hold for an agent with a task, nil if it has none.
func (f Filter) matchAgent(a *Agent, s *board.Summary, at time.Time) bool {
	return f.all(func(t *term) bool {
		switch t.key {
		case agentTerm:
			return t.is(string(a.ID))
		case roleTerm:
			return t.is(a.Role.String())
		}
		own := t.key == textTerm && t.occurs(string(a.ID), string(a.Task), a.State)
		return own || s != nil && t.holds(s, at)
	})
}
