package board

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// PriorHeading begins the lines of a rejection that say what became of earlier blockers.
const PriorHeading = "Prior Feedback Status:"

// ParseFeedback reads the text form of a rejection:
//
//	Overall: …
//	- [blocker] FILE:LINE — ISSUE
//	Why it matters: …
//	Suggestion: …
//	- [concern] …
//	Prior Feedback Status:
//	- RESOLVED: NUMBER OR WORDS OF AN EARLIER BLOCKER
//
// A line that continues nothing is an error that names the line, so that no
// finding is lost silently.
func ParseFeedback(text string) (Feedback, error) { return new(feedbackParser).parse(text) }

// ParseRemarks is [ParseFeedback] for what a person types in an editor. There a
// finding may also be a line as compilers print it, and is a blocker unless it says
// that it is a concern:
//
//	FILE:LINE: ISSUE
//	FILE:LINE: concern: ISSUE
func ParseRemarks(text string) (Feedback, error) {
	return (&feedbackParser{remarks: true}).parse(text)
}

func (p *feedbackParser) parse(text string) (Feedback, error) {
	for i, line := range strings.Split(Clean(text), "\n") {
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return Feedback{}, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return p.out, nil
}

type feedbackParser struct {
	out     Feedback
	field   *string // what a following line continues
	item    *Finding
	remarks bool // see [ParseRemarks]
}

// They are compiled when a rejection is read, because most processes read none.
var (
	findingLine = pattern.Late(`(?i)^[-*]\s*\[(blocker|concern)\]\s*(.*)$`)
	remarkLine  = pattern.Late(`(?i)^(\S+:\d+):\s+(?:(blocker|concern):\s*)?(.*)$`)
	placeOfLine = pattern.Late(`^(\S+?)(?::(\d+))?\s+(?:—|–|--|-)(?:\s+(.*))?$`)
	labelLine   = pattern.Late(`(?i)^(why it matters|why|suggestion|overall|prior feedback status)\s*:\s*(.*)$`)
	priorLine   = pattern.Late(`^[-*]\s*(RESOLVED|STILL_PRESENT|PARTIAL)\s*:\s*(.*)$`)
)

func (p *feedbackParser) line(line string) error {
	if line == "" {
		return nil
	}
	if m := findingLine().FindStringSubmatch(line); m != nil {
		return p.finding(strings.EqualFold(m[1], "blocker"), m[2])
	}
	if m := remarkLine().FindStringSubmatch(line); p.remarks && m != nil {
		return p.finding(!strings.EqualFold(m[2], "concern"), m[1]+" — "+m[3])
	}
	if m := priorLine().FindStringSubmatch(line); m != nil {
		entry := Prior{Finding: m[2]}
		if err := entry.Status.UnmarshalText([]byte(m[1])); err != nil {
			return err
		}
		p.out.Prior = append(p.out.Prior, entry)
		p.field = &p.out.Prior[len(p.out.Prior)-1].Finding
		return nil
	}
	if m := labelLine().FindStringSubmatch(line); m != nil {
		return p.label(strings.ToLower(m[1]), m[2])
	}
	if p.field == nil {
		return fmt.Errorf("%q belongs to no finding; begin with \"- [blocker] FILE:LINE — ISSUE\"", Clip(line))
	}
	*p.field = strings.TrimSpace(*p.field + "\n" + line)
	return nil
}

func (p *feedbackParser) finding(blocker bool, text string) error {
	f := Finding{Issue: text}
	if m := placeOfLine().FindStringSubmatch(text); m != nil {
		f.File, f.Issue = m[1], m[3]
		f.Line, _ = strconv.Atoi(m[2])
	}
	if f.Issue == "" {
		return fmt.Errorf("a finding says what the issue is")
	}
	list := &p.out.Concerns
	if blocker {
		list = &p.out.Blockers
	}
	*list = append(*list, f)
	p.item = &(*list)[len(*list)-1]
	p.field = &p.item.Issue
	return nil
}

func (p *feedbackParser) label(label, rest string) error {
	switch label {
	case "overall":
		p.field, p.item = &p.out.Overall, nil
	case "prior feedback status":
		p.field, p.item = nil, nil
		return nil
	default:
		if p.item == nil {
			return fmt.Errorf("%q belongs to no finding", label)
		}
		p.field = &p.item.Why
		if label == "suggestion" {
			p.field = &p.item.Suggestion
		}
	}
	*p.field = strings.TrimSpace(*p.field + "\n" + rest)
	return nil
}

// WithOpen returns the feedback of who rejects only because of earlier blockers: those
// of the last rejection that it does not call resolved are its blockers, if it has none.
func (f Feedback) WithOpen(last *Rejection) Feedback {
	if len(f.Blockers) > 0 || last == nil {
		return f
	}
	for i, b := range last.Blockers {
		if outcome, said := Answer(f.Prior, b, i+1); said && outcome != Resolved {
			f.Blockers = append(f.Blockers, b)
		}
	}
	return f
}

// IsWritten reports whether a rejection holds what a feedback says. It may hold more: the
// earlier blockers that are still open.
func (f Feedback) IsWritten(last *Rejection) bool {
	n := len(f.Blockers)
	open := len(f.Prior) > 0 // else nothing was open before
	return (n == len(last.Blockers) || open && n < len(last.Blockers)) && slices.Equal(last.Blockers[:n], f.Blockers) && slices.Equal(last.Concerns, f.Concerns) &&
		slices.Equal(last.Prior, f.Prior) && last.Overall == f.Overall
}

// Lines are the text form of the feedback that [ParseFeedback] reads.
func (f Feedback) Lines() []string {
	var list []string
	add := func(label, text string) {
		if text != "" {
			list = append(list, strings.Split(label+text, "\n")...)
		}
	}
	for kind, findings := range [][]Finding{f.Blockers, f.Concerns} {
		label := [...]string{"- [blocker] ", "- [concern] "}[kind]
		for _, one := range findings {
			if one.Line > 0 {
				one.File += ":" + strconv.Itoa(one.Line)
			}
			if one.File != "" {
				label += one.File + " — "
			}
			add(label, one.Issue)
			add("Why it matters: ", one.Why)
			add("Suggestion: ", one.Suggestion)
			label = label[:len("- [blocker] ")]
		}
	}
	add("Overall: ", f.Overall)
	if len(f.Prior) > 0 {
		list = append(list, PriorHeading)
	}
	for _, p := range f.Prior {
		add("- "+p.Status.String()+": ", p.Finding)
	}
	return list
}

// A Feedback is the structured reason for a rejection.
type Feedback struct {
	Blockers []Finding `yaml:"blockers"`
	Concerns []Finding `yaml:"concerns"`
	Prior    []Prior   `yaml:"prior"`
	Overall  string    `yaml:"overall"`
}

// A Prior says what became of an earlier blocker, named by its text or its
// number in the last rejection.
type Prior struct {
	Finding string  `yaml:"finding"`
	Status  Outcome `yaml:"status"`
}

// An Outcome is what became of an earlier finding.
type Outcome uint8

// The outcomes of earlier findings.
const (
	Resolved Outcome = iota + 1
	StillPresent
	Partial
)

// OutcomeNames are the names of the outcomes, after the word for what they name.
var OutcomeNames = names{"outcome", "RESOLVED", "STILL_PRESENT", "PARTIAL"}

// String is the outcome's name.
func (o Outcome) String() string { return OutcomeNames.name(uint8(o)) }

// MarshalText writes the name; the zero value is an error.
func (o Outcome) MarshalText() ([]byte, error) { return OutcomeNames.marshal(uint8(o)) }

// UnmarshalText accepts exactly the names of [Outcome.String].
func (o *Outcome) UnmarshalText(text []byte) error { return unmarshalName(o, text, OutcomeNames) }

// Answer is what the reviewer says about an earlier blocker.
func Answer(prior []Prior, b Finding, number int) (Outcome, bool) {
	squash := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	issue, n := squash(b.Issue), strconv.Itoa(number)
	for _, p := range prior {
		said := squash(p.Finding)
		if said == n || said == "#"+n || strings.HasPrefix(said, n+" ") || strings.HasPrefix(said, "#"+n+" ") ||
			said != "" && (strings.Contains(said, issue) || strings.Contains(issue, said)) {
			return p.Status, true
		}
	}
	return 0, false
}
