package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// convert makes a task of a discovery. The first line of the discovery is its title, unless
// it has one.
func (inv *invocation) convert(clone *work.Clone, discovery board.RecordID, in board.TaskInput) error {
	if in.Verify != "" {
		if err := clone.Trust.AllowOwn(inv.ctx, in.Verify); err != nil {
			return err
		}
	}
	r, err := work.Tasks{Clone: clone}.Convert(inv.ctx, discovery, func(b *board.Board) board.TaskInput {
		described := in
		if d, ok := b.Load(board.Key{Folder: board.Discovered, ID: string(discovery)}).(*board.Discovery); ok && in.Title == "" {
			described.Title, _, _ = strings.Cut(d.Text, "\n")
		}
		return rooted(clone, described)
	})
	if err != nil {
		return err
	}
	warnings := showWarnings(inv, r, "", nil)
	t := r.After.Task(r.Move.Detail.(*flow.ConvertMove).Input.ID)
	return inv.result(r.Result, map[string]any{"task": t.ID, "status": t.Status, "discovery": discovery, "warnings": warnings}, "%s converted to %s → %s", discovery, t.ID, t.Status)
}
