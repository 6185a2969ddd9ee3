package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

type markCommand struct {
	Name   string `arg:"" optional:"" help:"What this state is called from now on; --at and board diff know it."`
	Reason string `help:"Why; - for standard input."`
	List   bool   `help:"Show all marks, those of sprints and checkpoints too; the default without a name."`
}

func (c *markCommand) Run(inv *invocation) error {
	if c.Name == "" && c.Reason != "" {
		return &usageError{"--reason goes with a name", "git liza board mark NAME --reason R"}
	}
	if c.Name == "" || c.List {
		return withLook(inv, c.list)
	}
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActMark, "", &flow.MarkMove{Name: c.Name, Reason: reason})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"name": c.Name, "commit": r.Commit, "by": r.Move.By, "at": r.Move.At}, "mark %s at %s", c.Name, board.ObjectID(r.Commit).Short())
}

// A markRow is a mark as it is shown.
type markRow struct {
	Name   string         `json:"name"`
	Kind   string         `json:"kind"` // sprint, checkpoint or named
	Commit board.ObjectID `json:"commit"`
	By     board.Actor    `json:"by"`
	At     time.Time      `json:"at"`
	Reason string         `json:"reason"`
}

// list shows the marks, oldest first.
func (c *markCommand) list(inv *invocation, l look) error {
	refs, err := l.clone.Repo.Refs.List(inv.ctx, layout.MarkRefs)
	if err != nil {
		return err
	}
	marks := []markRow{}
	for ref, commit := range refs {
		row, err := l.markRow(strings.TrimPrefix(ref, layout.MarkRefs), commit)
		if err != nil {
			return err
		}
		if row.Kind != "" {
			marks = append(marks, row)
		}
	}
	slices.SortStableFunc(marks, func(a, b markRow) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Name, b.Name)) })
	table := view.Table{}
	for _, m := range marks {
		table.Add(m.At.Format(view.Stamp), m.Name, m.Commit.Short(), string(m.By), m.Reason)
	}
	return inv.answer("", map[string]any{"marks": marks}, table.Text(inv.width()))
}

// markRow is the mark of a name: what a person said of it, or the move that made it.
// Its kind is "" if no move of this board did.
func (l look) markRow(name string, commit git.ID) (markRow, error) {
	row := markRow{Name: name, Commit: commit}
	if m, ok := l.reading.Board.Load(board.Key{Folder: board.MarkDocs, ID: name}).(*board.Mark); ok {
		row.Kind, row.By, row.At, row.Reason = "named", m.By, m.At, m.Reason
		return row, l.reading.Board.Err()
	}
	kind, _, _ := strings.Cut(name, "-")
	if l.reading.Board.Err() != nil || kind != "sprint" && kind != "checkpoint" || !board.IsMarkName(name) {
		return row, l.reading.Board.Err()
	}
	e, err := l.clone.Store.ReadEvent(commit)
	if err != nil {
		return row, fmt.Errorf("mark %s: %w", name, err)
	}
	row.Kind, row.By, row.At = kind, e.Move.By, e.Move.At
	return row, nil
}
