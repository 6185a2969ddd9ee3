package main

import (
	"github.com/git-liza/git-liza/flow"
)

type reviewCommand struct {
	ID    flow.TaskID   `arg:"" optional:"" help:"Default: the best submission."`
	Role  flow.Role     `placeholder:"ROLE" help:"For which role, of a person; default: the first that waits. An agent judges for its own."`
	Lease flow.Duration `placeholder:"30m" help:"Default: the board's."`
}

// Help explains what a person sees on a terminal.
func (c *reviewCommand) Help() string {
	return `On a terminal a person sees what the task asks for, what the author said and the
diff in git's pager, and is asked for the verdict; without a task the next one
follows. After an earlier verdict of yours the range-diff since then comes first,
and files that you have seen so are left out.

The review is renewed while you read. It is given back when you skip, quit or
go away; findings that were not sent are kept. Without a terminal, for agents and
with --json the command only takes the review and names its checkout.`
}

func (c *reviewCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if c.isForPerson(inv, clone) {
		return (&sitting{invocation: inv, clone: clone, asked: *c, dialog: newDialog(inv)}).run()
	}
	got, r, err := clone.Review(inv.ctx, c.ID, flow.ReviewMove{Lease: c.Lease, Role: c.Role})
	if err != nil {
		return err
	}
	if got.Warning != "" {
		inv.progress("warning: %s", got.Warning)
	}
	for _, text := range got.Texts {
		if text.Changed {
			inv.progress("%s has changed since the review began", flow.TextRef{Path: text.Path, Anchor: text.Anchor})
		}
	}
	as := ""
	if reviews := r.After.Task(got.Task).Submission.ReviewBy; len(reviews) > 1 && clone.By.IsHuman() {
		as = " as " + got.Role.String()
	}
	return inv.result(r, got, "%s reviews %s of %s by %s%s until %s\n%s", clone.By, got.Commit.Short(), got.Task, got.Author, as,
		got.Lease.Format("2006-01-02 15:04:05Z"), got.Worktree)
}
