package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type claimCommand struct {
	ID    board.TaskID   `arg:"" optional:"" help:"Default: the best claimable task."`
	Lease board.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *claimCommand) Run(inv *invocation, clone *work.Clone) error {
	got, r, err := clone.Claim(inv.ctx, c.ID, c.Lease)
	if err != nil {
		return err
	}
	if got.Warning != "" {
		inv.progress("warning: %s", got.Warning)
	}
	if caution := board.Caution(r.After, got.Task); caution != "" {
		inv.progress("caution: %s", caution)
	}
	for _, path := range work.GoneSpecs(r.After, got.Task) {
		inv.progress("warning: %s has no file %s, on which %s stands: git liza release %s, then git liza task edit %s --spec SPEC",
			r.After.Settings().Integration.Name, git.Visible(path), got.Task, got.Task, got.Task)
	}
	inv.sayUnprepared(clone, r.After, got.Worktree)
	return inv.result(r, got, "%s claimed by %s until %s, iteration %d\n%s", got.Task, clone.By,
		got.Lease.Format("2006-01-02 15:04:05Z"), got.Iteration, got.Worktree)
}

// sayUnprepared says how a worktree is prepared that no supervisor has made: a person may not
// want to wait for it, or to run what a board says.
func (inv *invocation) sayUnprepared(clone *work.Clone, b *board.Board, dir string) {
	if command := b.Settings().Config.PostWorktree; command != "" && dir != "" && !clone.Generation.Spawned() {
		inv.progress("not prepared: (cd %s && %s)", shell.Quote(dir), git.Visible(command))
	}
}
