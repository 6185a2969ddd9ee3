package main

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

type noteCommand struct {
	Text  string `arg:"" help:"The word; - for standard input."`
	Until string `placeholder:"3d|DATE" tool:"When prompts stop repeating it." help:"When prompts no longer repeat it; default: when its task is final, or the goal has ended."`
	For   string `default:"all" placeholder:"all|ROLE|AGENT|TASK" tool:"An agent, a role, a task or all." help:"Whom it is for; default all."`
}

func (c *noteCommand) said() *string { return &c.Text }

func (c *noteCommand) Run(inv *invocation) error {
	expires, err := c.expires(inv.now().UTC().Truncate(time.Second))
	if err != nil {
		return usagef("git liza note TEXT --until 3d", "--until: %v", err)
	}
	return inv.record(board.ActNote, board.Notes, &flow.NoteMove{For: c.For, Text: c.Text, Expires: expires})
}

// expires returns the time that --until names, or a span from now on; the zero
// time means never.
func (c *noteCommand) expires(now time.Time) (time.Time, error) {
	if c.Until == "" {
		return time.Time{}, nil
	}
	if at, ok := gitstore.ParseTime(c.Until); ok {
		return at.UTC(), nil
	}
	span, err := parseSpan(c.Until)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is neither a time (%s) nor a span from now on (%s)", quoted(c.Until), gitstore.TimeForms, gitstore.SpanForms)
	}
	return now.Add(span.Truncate(time.Second)), nil
}
