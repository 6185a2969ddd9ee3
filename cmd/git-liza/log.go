package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

type logCommand struct {
	ID    flow.TaskID  `arg:"" optional:"" help:"Only the moves that changed this task."`
	Count int          `short:"n" placeholder:"N" help:"At most so many."`
	Since string       `placeholder:"T" help:"Only moves not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
	Agent []flow.Actor `placeholder:"ID" help:"Only moves by this agent or human (coder-1, human:ann); repeatable."`
	Act   []flow.Act   `placeholder:"ACT" help:"Only moves of this kind (claim, submit); repeatable."`
	YAML  bool         `name:"yaml" xor:"form" help:"One YAML list of the moves with all that they say."`
	JSONL bool         `name:"jsonl" xor:"form" help:"One JSON object a line."`
}

// A logEntry is a move as logs show it: the state commit that it made, and
// every key that the move has in it.
type logEntry struct {
	State git.ID    `yaml:"state"`
	Move  flow.Move `yaml:",inline"`
}

func (c *logCommand) Run(s *session) error {
	if c.Count < 0 {
		return usagef("git liza help log", "-n takes a number from 1 on, not %d", c.Count)
	}
	since, err := parseSince(c.Since, s.now().UTC())
	if err != nil {
		return err
	}
	var list []logEntry
	keep := func(e gitstore.Event) bool {
		if e.Move.At.Before(since) {
			return false // and so are all that follow
		}
		if (len(c.Agent) == 0 || slices.Contains(c.Agent, e.Move.By)) && (len(c.Act) == 0 || slices.Contains(c.Act, e.Move.Act)) {
			list = append(list, logEntry{e.Commit, e.Move})
		}
		return c.Count == 0 || len(list) < c.Count
	}
	if c.ID == "" {
		err = s.history(keep)
	} else if l, lookErr := s.look(); lookErr != nil {
		err = lookErr
	} else {
		err = l.historyOf(s, c.ID, keep)
	}
	if err != nil {
		return err
	}
	return c.print(s, list)
}

// history visits all moves, newest first, until visit returns false; the
// board that they led to is not read and may be broken.
func (s *session) history(visit func(gitstore.Event) bool) error {
	clone, err := s.reader()
	if err != nil {
		return err
	}
	tip, err := clone.Store.Tip(s.ctx)
	if err != nil {
		return err
	}
	return clone.Store.History(tip, func(e gitstore.Event) (bool, error) { return visit(e), s.ctx.Err() })
}

// historyOf visits the moves that changed a task, newest first, until visit
// returns false.
func (l look) historyOf(s *session, id flow.TaskID, visit func(gitstore.Event) bool) error {
	if _, err := l.task(id); err != nil {
		return err
	}
	args := []string{"rev-list", string(l.tip), "--"}
	for _, folder := range []flow.Folder{flow.Tasks, flow.Archive} {
		args = append(args, ":(top,literal)"+gitstore.DocumentPath(flow.Key{Folder: folder, ID: string(id)}))
	}
	out, err := l.Repo.Git(s.ctx, args...)
	if err != nil {
		return err
	}
	for commit := range strings.FieldsSeq(string(out)) {
		e, err := l.Store.Event(git.ID(commit))
		if err != nil {
			return err
		}
		if !visit(e) {
			break
		}
	}
	return nil
}

func (c *logCommand) print(s *session, list []logEntry) error {
	if s.json {
		moves := make([]any, len(list))
		for i := range list {
			moves[i] = viewOf(list[i])
		}
		return s.answer("", map[string]any{"moves": moves}, "")
	}
	if c.JSONL {
		for i := range list {
			if err := s.encode(viewOf(list[i])); err != nil {
				return err
			}
		}
		return nil
	}
	var text strings.Builder
	width := s.width()
	for i := range list {
		if !c.YAML {
			text.WriteString(cut(list[i].line(), width) + "\n")
			continue
		}
		one, err := document.Encode(&[]logEntry{list[i]})
		if err != nil {
			return err
		}
		text.Write(one)
	}
	return s.answer("", nil, text.String())
}

// line is the move for people: commit, time, who did what to what, and why.
func (e *logEntry) line() string {
	line := fmt.Sprintf("%s  %s  %s", e.State.Short(), e.Move.At.UTC().Format("2006-01-02 15:04:05Z"), e.Move.Subject())
	if word := brief(e.Move); word != "" {
		line += ": " + oneLine(firstLine(word))
	}
	return line
}

// brief is what a move says for itself in a few words.
func brief(m flow.Move) string {
	detail, _ := viewOf(m.Detail).(object)
	if word := said(detail); word != "" {
		return word
	}
	for _, inner := range detail {
		// An intent, a handoff or a rejection stands in an object of its own.
		if o, ok := inner.value.(object); ok && said(o) != "" {
			return said(o)
		}
	}
	return ""
}

// said is the first of the keys that hold a sentence about the whole.
func said(o object) string {
	for _, key := range []string{"reason", "summary", "message", "text", "overall", "pattern", "resolution", "change", "title", "outcome"} {
		if text, ok := o.find(key).(string); ok && text != "" {
			return text
		}
	}
	return ""
}
