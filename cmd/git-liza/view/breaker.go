package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Breaker is what is shown of the circuit breaker: its document, and what the
// anomalies of the board form now.
type Breaker struct {
	flow.Breaker
	Matches []breaker.Match
}

// BreakerOf looks for patterns in the anomalies of a board.
func BreakerOf(b *flow.Board) Breaker { return Breaker{b.Breaker(), breaker.Look(b)} }

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

// BreakerText is the circuit breaker as Markdown for people: its state, the patterns
// that are there with what they are about, what comes near to one, and what a person can
// type.
func BreakerText(r Reading, k Breaker, width int) string {
	var there, near []breaker.Match
	for _, m := range k.Matches {
		if m.Missing == 0 {
			there = append(there, m)
		} else {
			near = append(near, m)
		}
	}
	lines := k.head(r, there)
	report := breaker.Report(r.Board, there)
	if len(there) == 0 && k.Tripped {
		report = k.Report // of a trip whose records were dismissed since
	}
	if report != "" {
		lines = append(append(lines, ""), strings.Split(report, "\n")...)
	}
	if len(near) > 0 {
		lines = append(lines, "", "## Not there yet")
		for _, m := range near {
			lines = append(lines, fmt.Sprintf("- %s: %d more would form it with %s", m.Pattern, m.Missing, JoinIDs(m.Records)))
		}
	}
	lines = append(lines, "", "## What you can type")
	for _, command := range k.commands(r.Board, there) {
		lines = append(lines, "    "+command)
	}
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
	fresh := 0
	for _, m := range there {
		if m.New {
			fresh++
		}
	}
	switch {
	case k.Tripped:
	case fresh > 0:
		lines = append(lines, fmt.Sprintf("%s would trip it: supervisors and git liza watch do so when they next look.", Count(fresh, "pattern")))
	case len(there) > 0 && fresh == 0:
		lines = append(lines, "What there is was judged by the last reset, and does not trip it again.")
	case len(there) == 0:
		lines = append(lines, "The anomalies of the board form no pattern.")
	}
	return lines
}

// commands are what a person can type now.
func (k Breaker) commands(b *flow.Board, there []breaker.Match) []string {
	list := []string{"git liza records anomalies"}
	if len(there) > 0 && len(there[0].Tasks) > 0 {
		list = append(list, "git liza show "+string(there[0].Tasks[0]))
	}
	if k.Tripped {
		list = append(list, "git liza breaker reset --resolution R")
	}
	if b.Settings().Control.NeedsDecision() {
		list = append(list, "git liza checkpoint decide CONTINUE --message M")
	}
	return list
}
