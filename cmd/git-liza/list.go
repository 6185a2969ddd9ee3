package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

type listCommand struct {
	Status []flow.Status `placeholder:"STATUS" help:"Only tasks in this state; repeatable."`
	Ready  bool          `help:"Only tasks that could be claimed now."`
	Mine   bool          `help:"Only open tasks that you hold, review or worked on last."`
	Goal   flow.GoalID   `placeholder:"ID" help:"Only tasks of this goal."`
	All    bool          `help:"Archived tasks too."`
	Fields []string      `placeholder:"KEY,..." help:"With --json only these keys of each task. What list shows without --json, such as id, status, title and depends_on, is there at once also on a board of thousands."`
	Format string        `tool:"-" placeholder:"FMT" help:"A line per task with its %(fields) filled in, as in git for-each-ref: '%(id) %(status)'; the fields are the keys of --json."`
}

func (c *listCommand) Run(s *session) error {
	format, err := parseFormat(c.Format)
	if err != nil {
		return err
	}
	if err := c.checkFields(); err != nil {
		return err
	}
	l, err := s.look()
	if err != nil {
		return err
	}
	me := flow.Actor("")
	if c.Mine {
		if me, _, err = s.actor(l.Repo); err != nil {
			return err
		}
	}
	live := l.board.Tasks()
	view := l.view(s)
	list := slices.DeleteFunc(append(l.archived(c.All), live...), func(t flow.Summary) bool {
		return len(c.Status) > 0 && !slices.Contains(c.Status, t.Status) || c.Goal != "" && t.Goal != c.Goal ||
			c.Mine && (t.Status.Final() || t.Coder != me && t.Reviewer != me) || c.Ready && !view.ready(t)
	})
	if err := l.board.Err(); err != nil {
		return err
	}
	switch {
	case s.json:
		return c.objects(s, view, list)
	case c.Format != "":
		return c.lines(s, view, list, format)
	}
	if len(list) == 0 {
		s.progress("no task to show")
	}
	return s.answer("", nil, l.rows(list, live).text(s.width()))
}

// archived are the archived tasks, in order of creation; none unless they are
// wanted.
func (l look) archived(wanted bool) []flow.Summary {
	var list []flow.Summary
	if !wanted {
		return list
	}
	for _, id := range l.board.IDs(flow.Archive) {
		if t := l.board.Task(flow.TaskID(id)); t != nil {
			list = append(list, t.Summary())
		}
	}
	slices.SortStableFunc(list, func(x, y flow.Summary) int { return x.Created.Compare(y.Created) })
	return list
}

// ready reports whether the asker could claim the task; final ones are not
// even looked at.
func (v taskView) ready(t flow.Summary) bool {
	return !t.Status.Final() && v.whyNot(t.ID) == ""
}

// rows are the tasks for people: id, state, priority, who has it, title. live
// are all that are not archived.
func (l look) rows(list, live []flow.Summary) *table {
	open := unmerged(live)
	var rows table
	for _, t := range list {
		who := string(t.Coder)
		what, detail := l.waitsFor(t, open)
		if what == "tasks" || what == "work" {
			who = detail
		}
		title := t.Title
		if t.Reason != "" {
			title += " (" + firstLine(t.Reason) + ")"
		}
		rows.add(string(t.ID), t.Status.String(), strconv.Itoa(t.Priority), who, title)
	}
	return &rows
}

// checkFields refuses keys that a task does not have.
func (c *listCommand) checkFields() error {
	keys := taskKeys()
	for _, key := range c.Fields {
		if !slices.Contains(keys, key) {
			return usagef("git liza help list", "a task has no field %q; the fields are %s", key, strings.Join(keys, ", "))
		}
	}
	return nil
}

// objects answers with every key of every task, or with those that were asked for.
func (c *listCommand) objects(s *session, view taskView, list []flow.Summary) error {
	keys := c.Fields
	if len(keys) == 0 {
		keys = taskKeys()
	}
	tasks := make([]object, 0, len(list))
	for _, task := range view.rows(list, keys) {
		tasks = append(tasks, task.only(keys))
	}
	if err := view.board.Err(); err != nil {
		return err
	}
	return s.answer("", map[string]any{"tasks": tasks}, "")
}

// lines answers with the format filled in for every task.
func (c *listCommand) lines(s *session, view taskView, list []flow.Summary, format format) error {
	var text strings.Builder
	for _, task := range view.rows(list, format.keys()) {
		text.WriteString(format.fill(task) + "\n")
	}
	if err := view.board.Err(); err != nil {
		return err
	}
	return s.answer("", nil, text.String())
}

// A format is text and the names of fields in turn, text first.
type format []string

// parseFormat reads %(field), %% and %xx, a byte in hexadecimal digits.
func parseFormat(text string) (format, error) {
	keys := taskKeys()
	parts := format{""}
	literal := func(s string) { parts[len(parts)-1] += s }
	for text != "" {
		before, rest, found := strings.Cut(text, "%")
		literal(before)
		if text = rest; !found {
			break
		}
		field, after, closed := strings.Cut(rest, ")")
		switch {
		case strings.HasPrefix(rest, "%"):
			literal("%")
			text = rest[1:]
		case strings.HasPrefix(rest, "(") && closed:
			if !slices.Contains(keys, field[1:]) {
				return nil, usagef("git liza help list", "a task has no field %q; the fields are %s", field[1:], strings.Join(keys, ", "))
			}
			parts = append(parts, field[1:], "")
			text = after
		default:
			code, err := strconv.ParseUint(rest[:min(2, len(rest))], 16, 8)
			if err != nil || len(rest) < 2 {
				return nil, usagef("git liza help list", "the format has a %% that begins no %%(field), %%%% or %%xx: %q", "%"+rest)
			}
			literal(string([]byte{byte(code)}))
			text = rest[2:]
		}
	}
	return parts, nil
}

// keys are the fields that a format names.
func (f format) keys() []string {
	var keys []string
	for i := 1; i < len(f); i += 2 {
		keys = append(keys, f[i])
	}
	return keys
}

// fill is the format with the fields of one task.
func (f format) fill(task object) string {
	var out strings.Builder
	for i, part := range f {
		if i%2 == 0 {
			out.WriteString(part)
			continue
		}
		out.WriteString(plain(task.find(part)))
	}
	return out.String()
}

// plain is a value as text: nothing for null, lists of plain values with
// commas between, JSON for objects.
func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		words := make([]string, len(v))
		for i := range v {
			words[i] = plain(v[i])
		}
		return strings.Join(words, ",")
	case object:
		var text bytes.Buffer
		if raw, err := v.MarshalJSON(); err != nil || json.Compact(&text, raw) != nil {
			return ""
		}
		return text.String()
	}
	return fmt.Sprint(value)
}
