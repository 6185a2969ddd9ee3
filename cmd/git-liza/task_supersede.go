package main

import (
	"os"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type supersedeCommand struct {
	ID     board.TaskID `arg:""`
	By     string       `required:"" placeholder:"FILE|IDS" help:"The replacements: ids with commas, or a YAML list of new tasks as task add --from takes it (- for standard input)."`
	Reason string       `required:"" help:"Why, with the root cause."`
}

func (c *supersedeCommand) Run(inv *invocation) error {
	ids, list, lines, err := c.replacements(inv)
	if err != nil {
		return err
	}
	path := ""
	if lines != nil {
		path = c.By
	}
	return inv.supersede(c.ID, flow.SupersedeMove{Reason: c.Reason, By: ids, Add: list}, path, lines)
}

// replacements takes --by as a file if a file of that name exists.
func (c *supersedeCommand) replacements(inv *invocation) (ids []board.TaskID, list []board.TaskInput, lines []int, err error) {
	if _, err := os.Stat(c.By); err == nil || c.By == "-" {
		list, lines, err = inv.readTasks(c.By)
		return nil, list, lines, err
	}
	for word := range strings.SplitSeq(c.By, ",") {
		var id board.TaskID
		if err := id.UnmarshalText([]byte(strings.TrimSpace(word))); err != nil {
			return nil, nil, nil, usagef("git liza help task supersede", "--by: there is no file %s, and %v", c.By, err)
		}
		ids = append(ids, id)
	}
	return ids, nil, nil, nil
}

// supersede replaces a task by others, of which new ones begin on some lines of a file, or
// are from no file.
func (inv *invocation) supersede(id board.TaskID, m flow.SupersedeMove, path string, lines []int) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := work.Tasks{Clone: clone}.Supersede(inv.ctx, id, m)
	if err != nil {
		return inFile(path, lines, err)
	}
	warnings := showWarnings(inv, r, path, lines)
	t := r.After.Task(id)
	return inv.result(r.Result, map[string]any{"task": id, "status": t.Status, "superseded_by": t.SupersededBy, "warnings": warnings},
		"%s superseded by %v → %s\n%s: %s", id, t.SupersededBy, t.Status, t.Sprint, view.ScopeText(r.After, t.Sprint))
}

type abandonCommand struct {
	ID      board.TaskID `arg:"" help:"The task."`
	Reason  string       `required:"" help:"Why."`
	Cascade bool         `help:"Block the unclaimed tasks that need it."`
}

func (c *abandonCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.End(inv.ctx, board.ActAbandon, c.ID, func(_ *board.Board, save *board.Save) (flow.Detail, error) {
		return &flow.AbandonMove{Reason: c.Reason, Cascade: c.Cascade, Saved: save}, nil
	})
	if err != nil {
		return err
	}
	return inv.taskResult(r, c.ID, "abandoned")
}
