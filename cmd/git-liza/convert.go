package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type convertCommand struct {
	Discovery flow.RecordID `arg:"" help:"Its id, such as sprint-1/3."`
	ID        flow.TaskID   `arg:"" optional:"" help:"The task's id; default the next task-N."`
	Draft     bool          `help:"Not claimable until it is finalized."`
	taskFlags
	reopensFlag
}

func (c *convertCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if c.Verify != nil {
		if err := clone.Trust.AllowOwn(inv.ctx, *c.Verify); err != nil {
			return err
		}
	}
	r, err := work.Tasks{Clone: clone}.Convert(inv.ctx, c.Discovery, func(b *flow.Board) flow.TaskInput {
		return rooted(clone, c.over(flow.TaskInput{ID: c.ID, Draft: c.Draft, Title: discoveryTitle(b, c.Discovery), Reopens: c.Reopens}))
	})
	if err != nil {
		return err
	}
	warnings := showWarnings(inv, r, "", nil)
	t := r.After.Task(r.Move.Detail.(*flow.ConvertMove).Input.ID)
	return inv.result(r.Result, map[string]any{"task": t.ID, "status": t.Status, "discovery": c.Discovery, "warnings": warnings}, "%s converted to %s → %s", c.Discovery, t.ID, t.Status)
}

// discoveryTitle returns the first line of a discovery. It is the title of the task
// unless the user gives another one.
func discoveryTitle(b *flow.Board, id flow.RecordID) string {
	d, ok := b.Load(flow.Key{Folder: flow.Discovered, ID: string(id)}).(*flow.Discovery)
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(d.Text, "\n")
	return line
}
