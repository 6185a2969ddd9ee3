package templates

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// functions are what templates may call beside text/template's own.
var functions = template.FuncMap{
	"text":     quote,
	"field":    field,
	"join":     join,
	"roles":    func(list []board.Role) string { return strings.Join(lists.Of(list, board.Role.String), ", ") },
	"last":     last,
	"date":     date,
	"count":    count,
	"previous": func(n int) int { return n - 1 },
	"findings": findings,
	"trigger":  trigger,
	"reasons":  reasons,
	"counts":   counts,
	"board":    openTasks,
	"readable": readable,
	"anomaly":  anomaly,
	"step":     step,
}

// maxBoard is how many open tasks a board summary names.
const maxBoard = 60

// quote marks a text from outside: each of its lines begins with a bar, so
// none can be a heading, a fence or an empty line.
func quote(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(board.Clean(s), "\n") {
		b.WriteString(strings.TrimRight("| "+line, " \t") + "\n")
	}
	return b.String()
}

// field formats a named value on a line, or quotes it below its name if it
// has several lines or is a list. An empty value gives "".
func field(name string, value any) string {
	v := reflect.ValueOf(value)
	if !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return ""
	}
	if v.Kind() == reflect.Slice {
		var b strings.Builder
		b.WriteString(name + ":\n")
		for i := range v.Len() {
			b.WriteString(quote(fmt.Sprint(v.Index(i).Interface())))
		}
		return b.String()
	}
	text := board.Clean(fmt.Sprint(value))
	if strings.Contains(text, "\n") {
		return name + ":\n" + quote(text)
	}
	return name + ": " + text + "\n"
}

// join puts the ids of a list on one line.
func join(list []board.TaskID) string {
	return strings.Join(lists.Of(list, func(id board.TaskID) string { return string(id) }), ", ")
}

// last returns at most n entries from the end of a list.
func last(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(max(0, v.Len()-n), v.Len()).Interface()
}

func date(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// count formats a counter and its limit.
func count(n, limit int) string {
	if limit == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, limit)
}

// findings lists a reviewer's remarks with the numbers by which a later
// verdict refers to them.
func findings(list []board.Finding) string {
	var b strings.Builder
	for i, f := range list {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		text := fmt.Sprintf("%d. %s — %s", i+1, place, f.Issue)
		if f.Why != "" {
			text += "\nWhy it matters: " + f.Why
		}
		if f.Suggestion != "" {
			text += "\nSuggestion: " + f.Suggestion
		}
		b.WriteString(quote(text))
	}
	return b.String()
}

// anomaly formats a recorded anomaly: what it is, of which task, and its details by their
// names.
func anomaly(a *board.Anomaly) string {
	line := a.Type.String()
	if a.Task != "" {
		line += " of " + string(a.Task)
	}
	line += ", by " + string(a.By)
	for _, key := range slices.Sorted(maps.Keys(a.Details)) {
		line += "; " + key + ": " + board.Excerpt(a.Details[key], 300)
	}
	return line
}

// step formats a step of a task: its number, what is done, by which command, and what
// that gives.
func step(s board.Step) string {
	text := s.Action
	if s.Step > 0 {
		text = fmt.Sprintf("%d. %s", s.Step, s.Action)
	}
	if s.Run != "" {
		text += "\nRun: " + s.Run
	}
	if s.Expect != "" {
		text += "\nExpect: " + s.Expect
	}
	return text
}

// trigger formats a trigger's reason and subject.
func trigger(t flow.Trigger) string {
	words := []string{t.Reason}
	if t.Record != "" {
		words = append(words, string(t.Record))
	}
	if t.Task != "" {
		words = append(words, string(t.Task))
	}
	return strings.Join(words, " ")
}

// reasons returns the distinct reasons of triggers, in their order.
func reasons(list []flow.Trigger) []string {
	return lists.Add(nil, lists.Of(list, func(t flow.Trigger) string { return t.Reason })...)
}

// readable returns the specs that integration has, one per path.
func readable(list []Spec) []Spec {
	known := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(s Spec) bool {
		again := known[s.Path]
		known[s.Path] = true
		return again || s.Missing != ""
	})
}

// counts formats the number of tasks in each state, in the order of a task's
// life.
func counts(tasks []board.Summary) string {
	var parts []string
	for _, status := range board.Statuses() {
		n := len(lists.Where(tasks, func(t board.Summary) bool { return t.Status == status }))
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

// openTasks lists the tasks that are not final, a line each.
func openTasks(tasks []board.Summary) string {
	var b strings.Builder
	shown, open := 0, 0
	for _, t := range tasks {
		if t.Status.Final() {
			continue
		}
		open++
		if shown == maxBoard {
			continue
		}
		shown++
		line := fmt.Sprintf("%s %s priority %d", t.ID, t.Status, t.Priority)
		if len(t.DependsOn) > 0 {
			line += " after " + join(t.DependsOn)
		}
		if t.Reason != "" {
			line += " (" + t.Reason + ")"
		}
		b.WriteString(quote(strings.ReplaceAll(line+": "+t.Title, "\n", " ")))
	}
	if open > shown {
		fmt.Fprintf(&b, "\nand %d more: `git liza list`\n", open-shown)
	}
	return b.String()
}
