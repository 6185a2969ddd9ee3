package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

type recordListCommand struct {
	Kind   recordKind     `arg:"" optional:"" help:"Only questions, discoveries, anomalies or notes."`
	Task   board.TaskID   `placeholder:"TASK" help:"Only those about this task, and notes for it."`
	Goal   board.GoalID   `placeholder:"GOAL" help:"Only those of this goal's sprints."`
	Sprint board.SprintID `placeholder:"SPRINT" help:"Only those of this sprint."`
	By     board.Actor    `placeholder:"ID" help:"Only those that this agent or human wrote."`
	Since  string         `placeholder:"T" help:"Only those not before this time or within this span (2h, 3d)."`
	All    bool           `help:"Settled, expired and archived ones too."`
}

// A recordKind is a kind of records as [view.RecordFilter] names it, in the plural on
// the command line.
type recordKind string

// UnmarshalText accepts questions, discoveries, anomalies and notes.
func (k *recordKind) UnmarshalText(text []byte) error {
	kind, known := map[string]recordKind{"questions": "question", "discoveries": "discovery", "anomalies": "anomaly", "notes": "note"}[string(text)]
	if !known {
		return fmt.Errorf("there are questions, discoveries, anomalies and notes, not %s", board.Excerpt(string(text), 80))
	}
	*k = kind
	return nil
}

func (c *recordListCommand) Run(inv *invocation) error {
	since, err := parseSince(c.Since, inv.now().UTC())
	if err != nil {
		return err
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	list := view.RecordFilter{Kind: string(c.Kind), Task: c.Task, Goal: c.Goal, Sprint: c.Sprint, By: c.By, Since: since, All: c.All}.Records(l.reading)
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	if len(list) == 0 {
		inv.progress("no record to show")
	}
	return pager{inv}.present(map[string]any{"records": view.RecordsValue(list)}, view.RecordsText(list, l.reading.At, inv.width()))
}
