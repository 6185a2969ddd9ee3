// Package breaker finds patterns in the anomalies of a board: several records that are
// signs of one cause. It reads records and tasks, proposes no solution, and changes
// nothing. Without clock and randomness, it finds the same on every host.
package breaker

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Match is a pattern that anomalies form, or would form with some more.
type Match struct {
	Pattern  string           // one of [board.BreakerPatterns]
	Severity string           // one of [board.BreakerSeverities]
	Records  []board.RecordID // the anomalies, in the order of their numbers
	Tasks    []board.TaskID   // that they are about, in that order, each once
	Evidence []string         // a line per record
	New      bool             // a record is above the watermark
	Missing  int              // how many more it would take; 0: the pattern is there
}

// A pattern says which anomalies form it.
type pattern struct {
	name, severity string
	kind           board.AnomalyType
	field          string // of the details, by which they are compared and shown; "" compares nothing
	exact          bool   // the field is a name, which is the same or not
	tasks          bool   // different tasks are counted, not records
	least          int    // how many form it
	counts         func(details map[string]string) bool
	linked         func(x, y board.Anomaly, replaced func(board.TaskID) []board.TaskID) bool
}

// patterns are those of [board.BreakerPatterns]. Thresholds and severities are those of
// the design page on governance.
var patterns = []pattern{
	{name: "retry_cluster", severity: "ARCHITECTURE_FLAW", kind: board.RetryLoop, field: "error_pattern", least: 3},
	{name: "debt_accumulation", severity: "SCOPE_FLAW", kind: board.TradeOff, least: 3, counts: hasDebt, linked: always},
	{name: "assumption_cascade", severity: "SPEC_FLAW", kind: board.AssumptionViolated, field: "assumption", least: 2, counts: isOfWork},
	{name: "spec_gap_cluster", severity: "SPEC_FLAW", kind: board.SpecAmbiguity, field: "spec", exact: true, least: 2},
	{name: "workaround_pattern", severity: "ARCHITECTURE_FLAW", kind: board.Workaround, field: "cause", least: 2},
	{name: "external_service_outage", severity: "EXTERNAL_DEPENDENCY", kind: board.ExternalBlocker, field: "blocker_service", exact: true, least: 2},
	{name: "review_churn", severity: "ARCHITECTURE_FLAW", kind: board.ReviewChurn, least: 2, tasks: true, linked: always},
	{name: "replacement_chain", severity: "ARCHITECTURE_FLAW", kind: board.ReplacementBlocked, least: 2, tasks: true, linked: inOneChain},
	{name: "failure_streak", severity: "ARCHITECTURE_FLAW", kind: board.FailureStreak, least: 1, linked: always},
}

// most is how many anomalies of a type are compared, the newest.
const most = 2000

// Analyze finds patterns in anomalies that are neither dismissed nor archived. replaced
// are the tasks that a task replaces, directly or not; above is the watermark of the last
// reset. Patterns that are there come first, the most severe first, of equal ones that
// with more records; then, for each pattern that is not there, what comes nearest to it.
func Analyze(list []board.Anomaly, replaced func(board.TaskID) []board.TaskID, above int) []Match {
	var found, near []Match
	for _, p := range patterns {
		there := false
		var nearest *Match
		for _, group := range p.groups(list, replaced) {
			m := p.match(group, above)
			if m.Missing == 0 {
				there, found = true, append(found, m)
			} else if nearest == nil || m.Missing < nearest.Missing {
				nearest = &m
			}
		}
		if !there && nearest != nil {
			near = append(near, *nearest)
		}
	}
	slices.SortStableFunc(found, func(x, y Match) int {
		return cmp.Or(cmp.Compare(rank(x.Severity), rank(y.Severity)), cmp.Compare(len(y.Records), len(x.Records)))
	})
	return append(found, near...)
}

// rank is the place of a severity, the most severe is 0.
func rank(severity string) int { return slices.Index(board.BreakerSeverities(), severity) }

// match describes one group of anomalies.
func (p pattern) match(group []board.Anomaly, above int) Match {
	m := Match{Pattern: p.name, Severity: p.severity}
	for _, a := range group {
		m.Records = append(m.Records, a.ID)
		m.Evidence = append(m.Evidence, p.evidence(a))
		m.New = m.New || a.ID.Number() > above
		if a.Task != "" && !slices.Contains(m.Tasks, a.Task) {
			m.Tasks = append(m.Tasks, a.Task)
		}
	}
	count := len(m.Records)
	if p.tasks {
		count = len(m.Tasks)
	}
	m.Missing = max(p.least-count, 0)
	return m
}

// evidence says in a line what an anomaly says: its field, else all details.
func (p pattern) evidence(a board.Anomaly) string {
	line := string(a.ID)
	if a.Task != "" {
		line += " of " + string(a.Task)
	}
	line += " by " + string(a.By)
	said := excerpt(a.Details[p.field])
	if said == "" {
		details := lists.Of(slices.Sorted(maps.Keys(a.Details)), func(key string) string { return excerpt(key + " " + a.Details[key]) })
		said = strings.Join(details, ", ")
	}
	if said == "" {
		return line
	}
	return line + ": " + said
}

// groups are the anomalies of the pattern's type that belong together.
func (p pattern) groups(list []board.Anomaly, replaced func(board.TaskID) []board.TaskID) [][]board.Anomaly {
	of := lists.Where(list, func(a board.Anomaly) bool {
		return a.Type == p.kind && a.Dismissed == nil && !a.Archived && (p.counts == nil || p.counts(a.Details))
	})
	slices.SortFunc(of, func(x, y board.Anomaly) int { return cmp.Compare(x.ID.Number(), y.ID.Number()) })
	of = of[max(len(of)-most, 0):]
	same := func(i, j int) bool { return p.linked(of[i], of[j], replaced) }
	switch {
	case p.exact:
		same = func(i, j int) bool {
			x, y := fold(of[i].Details[p.field]), fold(of[j].Details[p.field])
			return x != "" && x == y
		}
	case p.field != "":
		texts := lists.Of(of, func(a board.Anomaly) text { return normalise(a.Details[p.field]) })
		same = func(i, j int) bool { return texts[i].same(texts[j]) }
	}
	return cluster(of, same)
}

// cluster parts anomalies into groups within which each is the same as another one.
func cluster(list []board.Anomaly, same func(i, j int) bool) [][]board.Anomaly {
	first := make([]int, len(list)) // of its group, or one that leads there
	root := func(i int) int {
		for first[i] != i {
			first[i] = first[first[i]]
			i = first[i]
		}
		return i
	}
	for i := range list {
		first[i] = i
		for j := range i {
			if x, y := root(i), root(j); x != y && same(i, j) {
				first[max(x, y)] = min(x, y)
			}
		}
	}
	var groups [][]board.Anomaly
	at := map[int]int{}
	for i, a := range list {
		r := root(i)
		if _, known := at[r]; !known {
			at[r], groups = len(groups), append(groups, nil)
		}
		groups[at[r]] = append(groups[at[r]], a)
	}
	return groups
}

// noDebt are the words for a trade-off that leaves nothing to be paid later.
var noDebt = []string{"", "no", "none", "nothing", "false", "n/a", "na", "-", "0"}

func hasDebt(details map[string]string) bool {
	return !slices.Contains(noDebt, strings.TrimRight(fold(details["debt_created"]), "."))
}

// isOfWork reports whether an assumption is about the work: what changes in a clone is often its
// user's.
func isOfWork(details map[string]string) bool {
	return details["assumption"] != board.NoSettings && details["assumption"] != board.NoChanges
}

func always(_, _ board.Anomaly, _ func(board.TaskID) []board.TaskID) bool { return true }

// inOneChain reports whether one of two tasks replaces the other, or both are one.
func inOneChain(x, y board.Anomaly, replaced func(board.TaskID) []board.TaskID) bool {
	if x.Task == "" || y.Task == "" {
		return false
	}
	return x.Task == y.Task || slices.Contains(replaced(x.Task), y.Task) || slices.Contains(replaced(y.Task), x.Task)
}
