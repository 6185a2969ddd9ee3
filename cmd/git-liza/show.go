package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type showCommand struct {
	ID        flow.TaskID  `arg:"" help:"The task."`
	Patch     whichPatch   `tool:"Answer with what submission N changes, -1 for the last one, instead of the task." xor:"diff" placeholder:"[N]" help:"What submission N changes, the last one without N."`
	Interdiff whichPatches `tool:"-" xor:"diff" placeholder:"N M" help:"What changed from submission N to M."`
	history   []logEntry   // oldest first
}

// whichPatch is a flag that may stand alone, which is -1, or with a number.
type whichPatch int

// Decode takes the next word if it is a number.
func (w *whichPatch) Decode(ctx *kong.DecodeContext) error {
	*w = -1
	next := ctx.Scan.Peek()
	n, err := strconv.Atoi(fmt.Sprint(next.Value))
	if err != nil && next.Type != kong.FlagValueToken {
		return nil
	}
	if err != nil || n < 1 {
		return errNumber
	}
	ctx.Scan.Pop()
	*w = whichPatch(n)
	return nil
}

var errNumber = errors.New("submissions have numbers, from 1 on")

// whichPatches are two numbers.
type whichPatches struct{ from, to int }

// Decode takes the next two words.
func (w *whichPatches) Decode(ctx *kong.DecodeContext) error {
	for _, n := range []*int{&w.from, &w.to} {
		var word string
		err := ctx.Scan.PopValueInto("number", &word)
		if err == nil {
			*n, err = strconv.Atoi(word)
		}
		if err != nil || *n < 1 {
			return errNumber
		}
	}
	return nil
}

// glanceHistory is how many moves of its history a task shows people.
const glanceHistory = 20

// A submitted is one of a task's submissions.
type submitted struct {
	Number int        `json:"number"`
	Commit git.ID     `json:"commit"`
	Base   git.ID     `json:"base_commit"`
	By     flow.Actor `json:"by"`
	At     any        `json:"at"`
	Ref    string     `json:"ref"` // that keeps it
}

func (c *showCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	t, err := l.task(c.ID)
	if err != nil {
		return err
	}
	err = l.historyOf(s, c.ID, func(e gitstore.Event) bool {
		c.history = append(c.history, logEntry{e.Commit, e.Move})
		return true
	})
	if err != nil {
		return err
	}
	slices.Reverse(c.history)
	submissions := c.submissions()
	if c.Patch != 0 || c.Interdiff != (whichPatches{}) {
		return c.changes(s, l, submissions)
	}
	task := l.view(s).of(t)
	if s.json {
		history := make([]any, len(c.history))
		for i := range c.history {
			history[i] = viewOf(c.history[i])
		}
		return s.answer("", append(task, member{"submissions", submissions}, member{"history", history}), "")
	}
	return s.answer("", nil, describe(task, s.width())+c.text(submissions, s.width()))
}

// submissions are those of the history, oldest first, numbered from 1.
func (c *showCommand) submissions() []submitted {
	list := []submitted{}
	for _, e := range c.history {
		if d, ok := e.Move.Detail.(*flow.SubmitMove); ok {
			list = append(list, submitted{len(list) + 1, d.Commit, d.Base, e.Move.By, viewTime(e.Move.At), flow.SavedRef(e.Move.Task, d.Save)})
		}
	}
	return list
}

// changes prints a patch, as git shows it to this user.
func (c *showCommand) changes(s *session, l look, list []submitted) error {
	pick := func(n int) (submitted, error) {
		if n == -1 {
			n = len(list)
		}
		if n < 1 || n > len(list) {
			return submitted{}, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza show " + string(c.ID),
				Reason: fmt.Sprintf("%s has %s, none of them has the number asked for", c.ID, count(len(list), "submission"))}
		}
		return list[n-1], nil
	}
	numbers := []int{int(c.Patch)}
	if c.Patch == 0 {
		numbers = []int{c.Interdiff.from, c.Interdiff.to}
	}
	var picked []submitted
	for _, n := range numbers {
		one, err := pick(n)
		if err != nil {
			return err
		}
		picked = append(picked, one)
	}
	for _, one := range picked {
		if err := l.Store.Bring(s.ctx, c.ID, one.Commit, one.Base); err != nil {
			return err
		}
	}
	args := []string{"diff", "--no-ext-diff", "--color=" + map[bool]string{true: "always", false: "never"}[s.color && !s.json]}
	paths, err := l.between(s, picked)
	if err != nil {
		return err
	}
	from, to := picked[0].Base, picked[0].Commit
	if len(picked) == 2 {
		from, to = picked[0].Commit, picked[1].Commit
	}
	out, err := l.Repo.Git(s.ctx, slices.Concat(args, []string{string(from), string(to), "--"}, paths)...)
	if err != nil {
		return err
	}
	return s.answer("", map[string]any{"task": c.ID, "from": from, "to": to, "patch": string(out)}, string(out))
}

// maxPaths bounds what is handed to git on its command line.
const maxPaths = 1000

// between are the paths that an interdiff is about: those that either
// submission changed, so that what integration brought in between stays out.
func (l look) between(s *session, picked []submitted) ([]string, error) {
	var paths []string
	if len(picked) < 2 || picked[0].Base == picked[1].Base {
		return nil, nil
	}
	for _, one := range picked {
		changes, err := l.Repo.Changes(s.ctx, one.Base, one.Commit)
		if err != nil {
			return nil, err
		}
		for _, change := range changes {
			paths = append(paths, ":(top,literal)"+change.Path)
		}
	}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) > maxPaths {
		return nil, nil
	}
	return paths, nil
}

// describe is a task for people: every key that says something, long texts
// below their key.
func describe(task object, width int) string {
	var rows table
	var out strings.Builder
	out.WriteString(cut(fmt.Sprintf("%s  %s  %s", plain(task.find("id")), plain(task.find("status")), oneLine(plain(task.find("title")))), width) + "\n")
	for _, m := range task[3:] {
		tell(&rows, m.key, m.value)
	}
	rows.indent = "  "
	rows.wrap(width)
	out.WriteString(rows.text(0))
	return out.String()
}

// tell adds the rows of one value: none where it is empty, several where it
// has several lines or parts.
func tell(rows *table, key string, value any) {
	switch v := value.(type) {
	case object:
		for _, m := range v {
			tell(rows, key+"."+m.key, m.value)
		}
		return
	case []any:
		for i, one := range v {
			name := key
			if _, ok := one.(object); ok {
				name = fmt.Sprintf("%s.%d", key, i+1)
			}
			tell(rows, name, one)
		}
		return
	}
	text := plain(value)
	if text == "" || text == "0" || text == "false" {
		return
	}
	for line := range strings.Lines(text) {
		rows.add(key, line)
		key = ""
	}
}

// text is the submissions and the history for people.
func (c *showCommand) text(list []submitted, width int) string {
	var rows [][]string
	for _, one := range list {
		rows = append(rows, []string{strconv.Itoa(one.Number), one.Commit.Short(), plain(one.At), string(one.By), one.Ref})
	}
	text := section("submissions", rows, width)
	rows = nil
	if n := len(c.history) - glanceHistory; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("%s before: git liza log %s", count(n, "move"), c.ID)})
	}
	for _, e := range c.history[max(0, len(c.history)-glanceHistory):] {
		rows = append(rows, []string{e.line()})
	}
	return text + section("history", rows, width)
}
