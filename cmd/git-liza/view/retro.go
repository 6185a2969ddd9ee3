package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A RetroForm is a retrospective as it is written in an editor.
type RetroForm struct {
	Text      string   `yaml:"text,keep"`
	Gaps      []string `yaml:"spec_gaps,keep"`
	Contracts []string `yaml:"contract_observations,keep"`
	Actions   []string `yaml:"actions,keep"`
}

// mostObservations bounds each list of a retrospective.
const mostObservations = 20

// NewRetroForm returns what can be computed of a sprint's retrospective: its figures and
// the patterns of its anomalies, and as gaps what its records lack in specs and
// contracts. m has the metrics of the sprint.
func NewRetroForm(b *flow.Board, s *flow.Sprint, m *Metrics) RetroForm {
	f := RetroForm{Gaps: []string{}, Contracts: []string{}, Actions: []string{}}
	planned, done := flow.PlannedTasks(b, s)
	lines := []string{fmt.Sprintf("%s: %d of %d planned tasks final, %s.", s.ID, done, planned, Count(m.Tasks.Merged, "task")+" merged")}
	if len(s.Carried) > 0 {
		lines = append(lines, "Carried on: "+JoinIDs(s.Carried)+".")
	}
	if m.LeadTime.Count > 0 {
		lines = append(lines, fmt.Sprintf("Lead time: %s.", spreadText(m.LeadTime, "")))
	}
	lines = append(lines, fmt.Sprintf("%s; %s; %s; verdicts: %s.", Count(m.Iterations, "iteration"), Count(m.ReviewCycles, "review cycle"), failedMerges(m.Failures), verdictsText(m.Report)))
	if m.Report.Usage.Sessions > 0 {
		lines = append(lines, Spent{m.Report.Usage, m.Uncounted}.Words()+".")
	}
	in := string(s.ID) + "/"
	for _, match := range breaker.Look(b) {
		if slices.ContainsFunc(match.Records, func(id flow.RecordID) bool { return strings.HasPrefix(string(id), in) }) {
			lines = append(lines, fmt.Sprintf("Pattern %s (%s): %s.", match.Pattern, match.Severity, JoinIDs(match.Tasks)))
		}
	}
	f.Text = strings.Join(lines, "\n") + "\n"
	for _, id := range b.IDs(flow.Anomalies) {
		a, ok := b.Load(flow.Key{Folder: flow.Anomalies, ID: id}).(*flow.Anomaly)
		if !ok || !strings.HasPrefix(id, in) || a.Dismissed != nil {
			continue
		}
		switch a.Type {
		case flow.SpecAmbiguity, flow.SpecGap:
			f.Gaps = append(f.Gaps, detailsText(a.Details))
		case flow.SystemAmbiguity:
			f.Contracts = append(f.Contracts, detailsText(a.Details))
		}
	}
	f.Gaps, f.Contracts = f.Gaps[:min(len(f.Gaps), mostObservations)], f.Contracts[:min(len(f.Contracts), mostObservations)]
	return f
}

// detailsText is what an anomaly says, in one line.
func detailsText(details map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(details)) {
		parts = append(parts, key+": "+plaintext.Line(details[key]))
	}
	return flow.Excerpt(strings.Join(parts, "; "), 1000)
}
