package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A RetroForm is a retrospective as it is written in an editor.
type RetroForm struct {
	Text      string   `yaml:"text,keep"`
	Gaps      []string `yaml:"spec_gaps,keep"`
	Contracts []string `yaml:"contract_observations,keep"`
	Actions   []string `yaml:"actions,keep"`
}

// mostObservations bounds how many records of a kind are shown beside a retrospective.
const mostObservations = 20

// RetroFigures returns what is computed of a sprint's retrospective, a line each: its
// figures, the patterns of its anomalies, and what its records say that specs and
// contracts lack. m has the metrics of the sprint.
func RetroFigures(b *board.Board, s *board.Sprint, m *Metrics) []string {
	planned, done := board.PlannedTasks(b, s)
	lines := []string{fmt.Sprintf("%d of %d planned tasks final, %s", done, planned, Count(m.Tasks.Merged, "task")+" merged")}
	if len(s.Carried) > 0 {
		lines = append(lines, "carried on: "+JoinIDs(s.Carried))
	}
	if m.LeadTime.Count > 0 {
		lines = append(lines, "lead time: "+spreadText(m.LeadTime, ""))
	}
	lines = append(lines, fmt.Sprintf("%s; %s; %s; verdicts: %s", Count(m.Iterations, "iteration"), Count(m.ReviewCycles, "review cycle"), failedMerges(m.Failures), verdictsText(m.Report)))
	if m.Report.Usage.Sessions > 0 {
		lines = append(lines, Spent{m.Report.Usage, m.Uncounted}.Words())
	}
	in := string(s.ID) + "/"
	for _, match := range breaker.Look(b) {
		if match.Missing == 0 && slices.ContainsFunc(match.Records, func(id board.RecordID) bool { return strings.HasPrefix(string(id), in) }) {
			lines = append(lines, fmt.Sprintf("pattern %s (%s): %s", match.Pattern, match.Severity, JoinIDs(match.Tasks)))
		}
	}
	var gaps, contracts []string
	for _, a := range board.All[*board.Anomaly](b, board.Anomalies) {
		id := string(a.ID)
		if !strings.HasPrefix(id, in) || a.Dismissed != nil {
			continue
		}
		switch a.Type {
		case board.SpecAmbiguity, board.SpecGap:
			gaps = append(gaps, "spec gap "+id+": "+detailsText(a.Details))
		case board.SystemAmbiguity:
			contracts = append(contracts, "contract "+id+": "+detailsText(a.Details))
		}
	}
	return slices.Concat(lines, gaps[:min(len(gaps), mostObservations)], contracts[:min(len(contracts), mostObservations)])
}

// detailsText is what an anomaly says, in one line.
func detailsText(details map[string]string) string {
	parts := lists.Of(slices.Sorted(maps.Keys(details)), func(key string) string { return key + ": " + plaintext.Line(details[key]) })
	return board.Excerpt(strings.Join(parts, "; "), 1000)
}

// A Changelog is what changed in the specs during a sprint.
type Changelog struct {
	Goal   *board.Goal
	Sprint board.SprintID
	Rows   []board.Change // the last one first
}

// Value returns the changelog for JSON.
func (c *Changelog) Value() Object {
	rows := append([]Object{}, lists.Of(c.Rows, func(row board.Change) Object { return ObjectOf(&row) })...)
	return Object{{"sprint", c.Sprint}, {"goal", partOf(c.Goal).ID}, {"rows", rows}, {"text", c.Text()}}
}

// Text returns the changelog as Markdown, as it stands in a project's changelog. It is
// empty if no spec changed.
func (c *Changelog) Text() string {
	if len(c.Rows) == 0 {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "## [%s] — %s (%s)\n| Date | Spec | Change | Triggered By |\n|------|------|--------|--------------|\n",
		partOf(c.Goal).ID, cell(partOf(c.Goal).Title), c.Sprint)
	for _, r := range c.Rows {
		by := cmp.Or(string(r.Task), string(r.By))
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", r.At.UTC().Format(time.DateOnly), cell(r.Spec), cell(r.Change), cell(by))
	}
	return text.String()
}

// cell is a text as one cell of a table in Markdown.
func cell(text string) string {
	return strings.ReplaceAll(plaintext.Line(text), "|", `\|`)
}
