package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type reviewCommand struct {
	ID    board.TaskID   `arg:"" optional:"" help:"Default: the best submission."`
	Role  board.Role     `placeholder:"ROLE" help:"For which role, of a person; default: the first that waits. An agent judges for its own."`
	Lease board.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *reviewCommand) Run(inv *invocation, clone *work.Clone) error {
	if c.isForPerson(inv, clone) {
		return (&sitting{invocation: inv, clone: clone, asked: *c, dialog: newDialog(inv)}).run()
	}
	got, r, err := c.take(inv, clone, c.ID)
	if err != nil {
		return err
	}
	inv.sayUnprepared(clone, r.After, got.Worktree)
	as := ""
	if reviews := r.After.Task(got.Task).Submission.ReviewBy; len(reviews) > 1 && clone.By.IsHuman() {
		as = " as " + got.Role.String()
	}
	return inv.result(r, got, "%s reviews %s of %s by %s%s until %s\n%s", clone.By, got.Commit.Short(), got.Task, got.Author, as,
		got.Lease.Format("2006-01-02 15:04:05Z"), got.Worktree)
}

// take takes the review of a task, and says what differs from what the submission has and from
// what was read before. The reviewer's program may be any.
func (c *reviewCommand) take(inv *invocation, clone *work.Clone, id board.TaskID) (got work.Reviewing, r gitstore.Result, err error) {
	known, err := providerChoice{inv, &clone.Repo.Config.Configuration}.catalogue()
	if err != nil {
		return got, r, err
	}
	clone.Seals.Loads = known.Loads(provider.Row{})
	if got, r, err = clone.Review(inv.ctx, id, flow.ReviewMove{Lease: c.Lease, Role: c.Role}); err != nil {
		return got, r, err
	}
	if got.Warning != "" {
		inv.progress("warning: %s", got.Warning)
	}
	if len(got.Withheld) > 0 {
		inv.progress("as integration has them, or not at all, since programs obey them: %s; git show %s:PATH", git.VisibleList(got.Withheld, 5), got.Commit.Short())
	}
	for _, text := range got.Texts {
		if text.Changed {
			inv.progress("%s has changed since the review began", board.TextRef{Path: text.Path, Anchor: text.Anchor})
		}
	}
	return got, r, nil
}
