package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Breaker is what is shown of the circuit breaker: its document, and what the
// anomalies of the board form now.
type Breaker struct {
	board.Breaker
	Matches []breaker.Match
}

// BreakerOf looks for patterns in the anomalies of a board.
func BreakerOf(b *board.Board) Breaker { return Breaker{b.Breaker(), breaker.Look(b)} }

// Value returns the circuit breaker for JSON: the keys of its document, whose patterns
// and records are those of a trip, with what there is now below patterns.
func (k Breaker) Value() Object {
	patterns := make([]Object, 0, len(k.Matches))
	for _, m := range k.Matches {
		patterns = append(patterns, Object{{"name", m.Pattern}, {"severity", m.Severity}, {"records", listValue(m.Records)}, {"tasks", listValue(m.Tasks)},
			{"evidence", listValue(m.Evidence)}, {"new", m.New}, {"missing", m.Missing}})
	}
	v := Object{{"tripped", k.Tripped}, {"watermark", k.Watermark}, {"patterns", patterns}}
	if !k.At.IsZero() {
		v = append(v, Object{{"trip", Object{{"pattern", k.Pattern}, {"severity", k.Severity}, {"patterns", listValue(k.Patterns)}, {"records", listValue(k.Records)},
			{"artifacts", listValue(k.Artifacts)}, {"evidence", listValue(k.Evidence)}, {"report", k.Report}, {"by", k.By}, {"at", k.At}}}}...)
	}
	if k.Resolution != "" {
		v = append(v, Object{{"resolution", k.Resolution}}...)
	}
	return v
}

// listValue is never null in JSON.
func listValue[T any](all []T) []T { return append([]T{}, all...) }

// nearLine names the pattern that comes nearest to being there, while none is and the
// breaker is closed; else it is "".
func (k Breaker) nearLine() string {
	at := slices.IndexFunc(k.Matches, func(m breaker.Match) bool { return m.Missing > 0 })
	if at < 0 || k.Tripped || k.isForming() {
		return ""
	}
	m := k.Matches[at]
	return fmt.Sprintf("closed; %s lacks %d: git liza record list anomalies", m.Pattern, m.Missing)
}

// isForming reports whether a pattern is there that no reset has judged.
func (k Breaker) isForming() bool {
	return slices.ContainsFunc(k.Matches, func(m breaker.Match) bool { return m.Missing == 0 && m.New })
}

// text is the circuit breaker for people, if it is tripped or a pattern is there that would
// trip it: its state, the patterns with what they are about, and what a person can type.
func (k Breaker) text(r Reading, width int) string {
	var there, near []breaker.Match
	for _, m := range k.Matches {
		if m.Missing == 0 {
			there = append(there, m)
		} else {
			near = append(near, m)
		}
	}
	if !k.Tripped && !k.isForming() {
		return ""
	}
	lines := append([]string{""}, k.head(r, there)...)
	report := breaker.Report(r.Board, there)
	if len(there) == 0 && k.Tripped {
		report = k.Report // of a trip whose records were dismissed since
	}
	if report != "" {
		lines = append(append(lines, ""), strings.Split(report, "\n")...)
	}
	if len(near) > 0 {
		lines = append(lines, "", "## Not there yet")
		lines = append(lines, lists.Of(near, func(m breaker.Match) string {
			return fmt.Sprintf("- %s: %d more would form it with %s", m.Pattern, m.Missing, JoinIDs(m.Records))
		})...)
	}
	lines = append(lines, "", "## What you can type")
	lines = append(lines, lists.Of(k.commands(r.Board, there), func(command string) string { return "    " + command })...)
	var out strings.Builder
	for _, line := range lines {
		switch {
		case line == "" || strings.HasPrefix(line, "    "):
			out.WriteString(line + "\n") // commands are not broken
		default:
			out.WriteString(Wrapped(plaintext.Line(line), width))
		}
	}
	return out.String()
}

// head are the lines about the state of the circuit breaker.
func (k Breaker) head(r Reading, there []breaker.Match) []string {
	var lines []string
	if k.Tripped {
		lines = append(lines, fmt.Sprintf("# The circuit breaker is tripped: %s", k.Pattern),
			joinWords(k.Severity, "by "+string(k.By), ago(r.At, k.At)+" ago"))
	} else {
		lines = append(lines, "# The circuit breaker is closed")
	}
	if k.Watermark > 0 {
		lines = append(lines, fmt.Sprintf("The last reset covers the records up to %d: %s", k.Watermark, FirstLine(k.Resolution)))
	}
	fresh := len(lists.Where(there, func(m breaker.Match) bool { return m.New }))
	if fresh > 0 && !k.Tripped {
		lines = append(lines, fmt.Sprintf("%s would trip it: supervisors and git liza watch do so when they next look.", Count(fresh, "pattern")))
	}
	return lines
}

// commands are what a person can type now.
func (k Breaker) commands(b *board.Board, there []breaker.Match) []string {
	list := []string{"git liza record list anomalies"}
	if len(there) > 0 && len(there[0].Tasks) > 0 {
		list = append(list, "git liza show "+string(there[0].Tasks[0]))
	}
	if k.Tripped {
		list = append(list, "git liza board breaker reset --resolution R")
	}
	if b.Settings().Control.NeedsDecision() {
		list = append(list, "git liza checkpoint decide CONTINUE --message M")
	}
	return list
}
