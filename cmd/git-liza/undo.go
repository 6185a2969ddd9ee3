package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type undoCommand struct {
	ID     flow.TaskID   `arg:"" help:"The merged task."`
	With   []flow.TaskID `placeholder:"IDS" help:"Merged tasks to take back with it, those that need it among them."`
	Reopen bool          `help:"Add tasks that do the work again; what needs the old ones waits for these."`
	Now    bool          `help:"Without a review: integration follows the revert at once, if the gates pass. Only for who may adopt."`
	Reason string        `placeholder:"R" help:"Why."`
}

// Help says what becomes of the work and of what needs it.
func (c *undoCommand) Help() string {
	return `The revert is made beside integration, newest work first, and is the submission
of a new task that is reviewed and merged as any other. When it is merged, the old
task stays MERGED and says by what it was reverted; tasks that need it wait, until
a task that does its work again (--reopen) is merged.

Refused if git cannot take the work out alone, or if merged work that needs it is
not named in --with. A call that was killed is completed by typing it again.`
}

func (c *undoCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	done, r, err := clone.Undo(inv.ctx, work.Undo{Task: c.ID, With: c.With, Reopen: c.Reopen, Now: c.Now, Reason: c.Reason})
	if err != nil {
		return err
	}
	return inv.result(r, done, "%s", c.text(r, done))
}

// text says what became of it.
func (c *undoCommand) text(r gitstore.Result, done work.Undone) string {
	var text string
	switch t := r.After.Task(c.ID); {
	case r.Move.Act == flow.ActAdopt:
		text = r.After.Settings().Integration.Name + " follows " + done.Commit.Short() + ", without " + view.JoinIDs(done.Reverts)
	case t.Reverted != nil:
		text = string(c.ID) + " is reverted by " + t.Reverted.String()
	default:
		text = string(done.Task) + " takes " + view.JoinIDs(done.Reverts) + " back"
		if len(done.WaitsFor) > 0 {
			text += ", waits for " + view.JoinRoles(done.WaitsFor)
		} else {
			text += " → " + done.Status.String()
		}
	}
	if len(done.Successors) > 0 {
		text += "\nthe work is done again by " + view.JoinIDs(done.Successors)
	}
	for i, path := range done.Paths {
		if i == mostAffected {
			return text + "\n  and " + view.Count(len(done.Paths)-i, "more path")
		}
		text += "\n  " + git.Visible(path)
	}
	return text
}
