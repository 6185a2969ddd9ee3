package breaker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// Look analyzes the anomalies of a board since its last reset. What could not be read is
// the error of the board.
func Look(b *board.Board) []Match {
	var list []board.Anomaly
	for _, a := range board.All[*board.Anomaly](b, board.Anomalies) {
		if !failsAlone(b, a) {
			list = append(list, *a)
		}
	}
	return Analyze(list, func(id board.TaskID) []board.TaskID { return replacedBy(b, id, nil) }, b.Breaker().Watermark)
}

// failsAlone reports whether a streak of failures is that of one task, which its retries
// block: no other task of the goal failed with the same error of late.
func failsAlone(b *board.Board, a *board.Anomaly) bool {
	g := b.Goal(board.GoalOfRecord(b, a.ID))
	if a.Type != board.FailureStreak || g == nil {
		return false
	}
	other := func(e board.End) bool { return e.Task != a.Task && e.Fingerprint == a.Details["fingerprint"] }
	return !slices.ContainsFunc(g.Pressure, func(o board.Pressure) bool { return slices.ContainsFunc(o.Ends, other) })
}

// replacedBy adds the tasks that a task replaces, directly or not.
func replacedBy(b *board.Board, id board.TaskID, found []board.TaskID) []board.TaskID {
	t := b.Task(id)
	if t == nil {
		return found
	}
	for _, before := range t.Supersedes {
		if len(found) < board.MaxList && !slices.Contains(found, before) {
			found = replacedBy(b, before, append(found, before))
		}
	}
	return found
}

// Trip returns the move that the board calls for: with all patterns that have a record
// newer than the last reset, of which the most severe decides. It returns nil if there is
// none, and if the breaker is tripped already.
func Trip(b *board.Board) *flow.TripMove {
	if b.Breaker().Tripped {
		return nil
	}
	matches := slices.DeleteFunc(Look(b), func(m Match) bool { return m.Missing > 0 || !m.New })
	if len(matches) == 0 {
		return nil
	}
	config := b.Settings().Config
	trip := &flow.TripMove{Pattern: matches[0].Pattern, Severity: matches[0].Severity, Watermark: b.Breaker().Watermark,
		Artifacts: Artifacts(b, matches), Report: shorten(Report(b, matches), config.TextLimit)}
	for _, m := range matches {
		if !slices.Contains(trip.Patterns, m.Pattern) {
			trip.Patterns = append(trip.Patterns, m.Pattern)
		}
		for i, id := range m.Records {
			if !slices.Contains(trip.Records, id) {
				trip.Records, trip.Evidence = append(trip.Records, id), append(trip.Evidence, shorten(m.Evidence[i], config.TextLimit))
			}
		}
	}
	trip.Records, trip.Evidence = newest(trip.Records, trip.Evidence)
	return trip
}

// newest are the records with the highest numbers, as many as a move holds, and their
// evidence.
func newest(records []board.RecordID, evidence []string) ([]board.RecordID, []string) {
	said := map[board.RecordID]string{}
	for i, id := range records {
		said[id] = evidence[i]
	}
	slices.SortFunc(records, func(x, y board.RecordID) int { return x.Number() - y.Number() })
	records = records[max(len(records)-board.MaxList, 0):]
	return records, lists.Of(records, func(id board.RecordID) string { return said[id] })
}

// Artifacts are the specs that the records of matches name, and the specs and the paths of
// their tasks, as many as a move holds.
func Artifacts(b *board.Board, matches []Match) []string {
	var list []string
	add := func(what ...string) {
		for _, one := range what {
			if one != "" && len(list) < board.MaxList && !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	for _, m := range matches {
		for _, id := range m.Records {
			if a, ok := b.Load(board.Key{Folder: board.Anomalies, ID: string(id)}).(*board.Anomaly); ok {
				add(excerpt(a.Details["spec"]))
			}
		}
	}
	for _, t := range tasksOf(b, matches) {
		add(t.Spec)
		add(t.Owns...)
	}
	return list
}

// tasksOf are the tasks of matches, each once.
func tasksOf(b *board.Board, matches []Match) []*board.Task {
	var list []*board.Task
	seen := map[board.TaskID]bool{}
	for _, m := range matches {
		for _, id := range m.Tasks {
			if t := b.Task(id); t != nil && !seen[id] {
				list = append(list, t)
			}
			seen[id] = true
		}
	}
	return list
}

// Report says in Markdown what matches of a board are about: their records, tasks and
// artifacts, what was spent on the tasks, and what a person can type. It proposes no
// solution.
func Report(b *board.Board, matches []Match) string {
	var out strings.Builder
	for _, m := range matches {
		fmt.Fprintf(&out, "## %s, %s\n", m.Pattern, m.Severity)
		for _, line := range m.Evidence {
			fmt.Fprintf(&out, "- %s\n", line)
		}
		out.WriteString("\n")
	}
	tasks := tasksOf(b, matches)
	if len(tasks) > 0 {
		var used board.Usage
		out.WriteString("## Tasks\n")
		for i, t := range tasks {
			used = used.Plus(t.Usage)
			if i < board.MaxList {
				fmt.Fprintf(&out, "- %s %s: %s\n", t.ID, t.Status, excerpt(t.Title))
			}
		}
		if more := len(tasks) - board.MaxList; more > 0 {
			fmt.Fprintf(&out, "- and %d more\n", more)
		}
		fmt.Fprintf(&out, "\nSpent on them: %d sessions, %d tokens, $%s\n\n", used.Sessions, used.Tokens(), used.Cost)
	}
	if list := Artifacts(b, matches); len(list) > 0 {
		out.WriteString("## Artifacts\n- " + strings.Join(list, "\n- ") + "\n\n")
	}
	return strings.TrimSpace(out.String())
}

// shorten cuts a text at the end of a line, so that it fits into a move.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const more = "\n… git liza status"
	s = s[:max(limit-len(more), 0)]
	if i := strings.LastIndexByte(s, '\n'); i > 0 {
		s = s[:i]
	}
	return strings.ToValidUTF8(s, "") + more
}
