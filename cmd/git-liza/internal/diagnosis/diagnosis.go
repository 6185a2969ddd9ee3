// Package diagnosis says why a program failed, from what it printed: causes of one table of
// patterns, each with the lines that speak for it. Strong signs come before weak ones, and
// a cause before what it brings about.
//
// It has no input and no output, and it asks nobody: without evidence it has no answer. No
// word of a text that it reads becomes part of a command, except as one quoted argument of
// a command that is only shown.
package diagnosis

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Source is a text about a failure, with where it comes from.
type Source struct {
	Name    string    `json:"name"` // for people, such as session 1a2b3c4d5e of coder-1
	Task    string    `json:"task"`
	Session string    `json:"session"`
	At      time.Time `json:"at,omitzero"`
	Text    []byte    `json:"-"`
	Error   string    `json:"error"` // by which the board says that it failed; "" if it says nothing
}

// A Report is what a text says about a failure.
type Report struct {
	Source
	Lines   int       `json:"lines"`
	Binary  bool      `json:"binary"`  // it is no text: nothing was looked for
	Refusal *Refusal  `json:"refusal"` // the last one that the text has; nil without one
	Causes  []Finding `json:"causes"`  // the first one to look at first; none without evidence
}

// A Refusal is what a command was answered, as a text has it. Whoever printed the text may
// have made it up.
type Refusal struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"` // the command that the answer named; "" for none
}

// A Finding is a cause with the evidence for it.
type Finding struct {
	ID       string     `json:"cause"`
	Area     string     `json:"area"`
	Title    string     `json:"title"`
	About    string     `json:"about"` // what the evidence names, such as a program; "" for nothing
	Strong   bool       `json:"strong"`
	ResultOf string     `json:"result_of"` // a cause that was found, too, and brings this one about
	Evidence []Evidence `json:"evidence"`
	Test     string     `json:"test"` // a command to type that shows whether it is so
	Fix      string     `json:"fix"`
	Steps    []Step     `json:"-"` // of a recovery

	after []string
}

// Evidence is a line that speaks for a cause.
type Evidence struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Strong bool   `json:"strong"`
	Why    string `json:"why"` // it counts as weak although its sign is strong; "" if not

	failure, about string // the line from the sign on, and what that names
}

const (
	maxEvidence = 3 // of a cause
	maxFindings = 5 // of a text
)

// Read reads a source. The error that the board has of it counts as its last line. More are
// causes beside those of the table.
func Read(s Source, more ...*Cause) Report {
	text := s.Text
	if s.Error != "" {
		text = slices.Concat(text, []byte("\n"+s.Error))
	}
	s.Error = plaintext.Line(s.Error)
	// Programs contain the messages of errors that never happened.
	r := Report{Source: s, Causes: []Finding{}, Binary: bytes.Count(text, []byte{0})*50 > len(text)}
	if r.Binary {
		return r
	}
	lines, count := split(string(text))
	said := saidBy(lines)
	r.Lines, r.Refusal = count, lastRefusal(said)
	said = strings.ToLower(said)
	var known []Cause // with those of their signs that the text may have
	for _, c := range slices.Concat(causes(), more) {
		here := *c
		here.signs = slices.DeleteFunc(slices.Clone(c.signs), func(s sign) bool { return !strings.Contains(said, s.text) })
		known = append(known, here)
	}
	last := lastRun(known, lines)
	for _, c := range known {
		since := last
		if c.Area == "agent" {
			since = 0 // it is about the session, and not about one of its commands
		}
		if f := c.find(lines, since); len(f.Evidence) > 0 {
			r.Causes = append(r.Causes, f)
		}
	}
	r.rank()
	return r
}

// refused is the form of what git liza prints when a rule refuses a command.
var refused = pattern.Late(`(?m)^git-liza: (.*)\nrule: ([a-z_]+)$(?:\nhint: (.*)$)?`)

// lastRefusal is the last answer of git liza in a text that has a rule, nil if there is none.
func lastRefusal(text string) (last *Refusal) {
	for _, m := range refused().FindAllStringSubmatch(text, -1) {
		last = &Refusal{Rule: m[2], Reason: plaintext.Line(m[1]), Hint: plaintext.Line(m[3])}
	}
	return last
}

// wentWell is the form of a line by which a program says that all went well.
var wentWell = pattern.Late(`^ok\s+\t?\S|^PASS$|^test result: ok|^OK$|^=+ \d+ passed|^Tests:\s+\d+ passed, \d+ total|BUILD SUCCESS|^All checks passed|^# fail 0$|^Success: no issues`)

// lastRun is the number of the last command that shows any strong sign, or that went well.
func lastRun(known []Cause, lines []line) int {
	for i, l := range slices.Backward(lines) {
		shows := func(s sign) bool { return s.strong && s.find(lines[i:i+1], 0) != nil }
		if l.run == 0 || l.counts == fully && (wentWell().MatchString(l.text) || slices.ContainsFunc(known, func(c Cause) bool { return slices.ContainsFunc(c.signs, shows) })) {
			return l.run
		}
	}
	return 0
}

// mostTried bounds, in bytes, the lines that are compared with the form of one sign: a text
// may be made of nothing but words of errors.
const mostTried = 128 << 10

// find returns the first line at which the sign is strong, else the first one that has it,
// nil if none has. What an earlier command than the last one printed is weak.
func (s sign) find(lines []line, since int) (best *Evidence) {
	tried := 0
	for _, l := range lines {
		if l.counts == never || tried > mostTried || !strings.Contains(l.small, s.text) {
			continue
		}
		tried += len(l.text)
		m := pattern.Compiled(s.form).FindStringSubmatch(l.text)
		if m == nil {
			continue
		}
		_, rest, _ := strings.Cut(l.text, m[0])
		e := &Evidence{Line: l.number, Text: plaintext.Line(l.text), failure: m[0] + rest, about: plaintext.Line(cmp.Or(m[1:]...))}
		// Some warnings are failures.
		e.Strong = s.strong && l.run >= since && (l.counts == fully || strings.Contains(strings.ToLower(s.form), "warn"))
		if e.Strong {
			return e
		}
		if s.strong {
			e.Why = cmp.Or(l.why, "printed by an earlier command")
		}
		best = cmp.Or(best, e)
	}
	return best
}

// place sorts what is so before what is not.
var place = map[bool]int{true: 0, false: 1}

// find returns the cause with the lines that have its signs, the strong ones first.
func (c Cause) find(lines []line, since int) Finding {
	f := Finding{ID: c.ID, Area: c.Area, Title: c.Title, Fix: c.Fix, Steps: c.Steps, after: c.After}
	var all []*Evidence
	for _, s := range c.signs {
		if e := s.find(lines, since); e != nil {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(x, y *Evidence) int { return place[x.Strong] - place[y.Strong] })
	for _, e := range all {
		f.About, f.Strong = cmp.Or(f.About, e.about), f.Strong || e.Strong
		if len(f.Evidence) < maxEvidence && !slices.ContainsFunc(f.Evidence, func(known Evidence) bool { return known.Line == e.Line }) {
			f.Evidence = append(f.Evidence, *e)
		}
	}
	f.Test = command(c.Test, f.About)
	return f
}

// rank orders the causes: strong ones before weak ones, then those that no other one brings
// about, then those with more evidence, then those that show first.
func (r *Report) rank() {
	for i := range r.Causes {
		f := &r.Causes[i]
		for _, other := range r.Causes {
			if slices.Contains(f.after, other.ID) && (other.Strong || !f.Strong) {
				f.ResultOf = other.ID
			}
		}
	}
	slices.SortStableFunc(r.Causes, func(x, y Finding) int {
		return cmp.Or(place[x.Strong]-place[y.Strong], place[x.ResultOf == ""]-place[y.ResultOf == ""], len(y.Evidence)-len(x.Evidence), x.Evidence[0].Line-y.Evidence[0].Line)
	})
	r.Causes = r.Causes[:min(len(r.Causes), maxFindings)]
}

// placeholder is the word of a command that what the evidence names may stand for.
var placeholder = pattern.Late(`\{([A-Z]+)\}`)

// name is the form of what may stand in a command that is shown.
var name = pattern.Late(`^[A-Za-z0-9_@./][A-Za-z0-9_@./+:-]{0,199}$`)

// command returns a command of the table about something.
func command(row, about string) string {
	if name().MatchString(about) {
		return placeholder().ReplaceAllLiteralString(row, shell.Quote(about))
	}
	return placeholder().ReplaceAllString(row, "$1")
}

// prints are the fingerprints of what failed, with what people are shown of each: the
// causes with strong signs, else the error that the board has, by which the rules count
// failures in a row.
func (r *Report) prints() map[string]string {
	list := map[string]string{}
	for _, f := range r.Causes {
		if f.Strong && f.ResultOf == "" {
			list[board.Fingerprint(f.ID+": "+f.Evidence[0].failure)] = f.Evidence[0].Text
		}
	}
	if len(list) == 0 {
		list[board.Fingerprint(r.Error)] = r.Error
	}
	delete(list, "")
	return list
}

// An Alike is an error that several sources have.
type Alike struct {
	Fingerprint string   `json:"fingerprint"`
	Message     string   `json:"message"` // of the first one
	Sources     []string `json:"sources"`
	Tasks       []string `json:"tasks"`
}

// Compare returns the errors that at least two sources have, the most frequent one first.
func Compare(list []Report) []Alike {
	alike := []Alike{}
	for _, r := range list {
		for print, message := range r.prints() {
			i := slices.IndexFunc(alike, func(a Alike) bool { return a.Fingerprint == print })
			if i < 0 {
				i = len(alike)
				alike = append(alike, Alike{Fingerprint: print, Message: message, Tasks: []string{}})
			}
			a := &alike[i]
			a.Sources = append(a.Sources, r.Name)
			if r.Task != "" && !slices.Contains(a.Tasks, r.Task) {
				a.Tasks = append(a.Tasks, r.Task)
			}
		}
	}
	alike = slices.DeleteFunc(alike, func(a Alike) bool { return len(a.Sources) < 2 })
	slices.SortFunc(alike, func(x, y Alike) int {
		return cmp.Or(cmp.Compare(len(y.Sources), len(x.Sources)), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	return alike
}
