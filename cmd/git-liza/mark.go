package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
)

type markCommand struct {
	Name   string `arg:"" optional:"" help:"What this state is called from now on; --at, diff and log know it."`
	Reason string `help:"Why; - for standard input."`
	List   bool   `help:"Show the states that persons named; the default without a name."`
}

func (c *markCommand) Run(inv *invocation) error {
	if c.Name == "" || c.List {
		return c.list(inv)
	}
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActMark, "", &flow.MarkMove{Name: c.Name, Reason: reason})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"name": c.Name, "commit": r.Commit, "by": r.Move.By, "at": r.Move.At}, "mark %s at %s", c.Name, flow.ObjectID(r.Commit).Short())
}

// list shows the states that persons named, by name.
func (c *markCommand) list(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	marks, text := []view.Object{}, strings.Builder{}
	for _, id := range l.Board.IDs(flow.MarkDocs) {
		if m, ok := l.Board.Load(flow.Key{Folder: flow.MarkDocs, ID: id}).(*flow.Mark); ok {
			marks = append(marks, view.ObjectOf(m))
			fmt.Fprintf(&text, "%s  %s  %s  %s\n", m.At.Format(view.Stamp), m.Name, m.By, m.Reason)
		}
	}
	if err := l.Board.Err(); err != nil {
		return err
	}
	if len(marks) == 0 {
		inv.progress("nobody has named a state")
	}
	return inv.answer("", map[string]any{"marks": marks}, text.String())
}
