package work

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Claimed is the result of a claim.
type Claimed struct {
	Task      board.TaskID   `json:"task"`
	Status    board.Status   `json:"status"`
	Worktree  string         `json:"worktree"`
	Branch    string         `json:"branch"`
	Base      board.ObjectID `json:"base_commit"`
	Lease     time.Time      `json:"lease_expires"`
	Iteration int            `json:"iteration"`
	Warning   string         `json:"warning,omitempty"` // a failure of the user's own post-checkout hook
}

// Claim takes a task, the best claimable one if id is "", and makes its
// worktree after the claim is won. Repeating it repairs a missing worktree.
// lease 0 means the board's. A claim that reaches the iteration limit is a
// *Setback.
func (c *Clone) Claim(ctx context.Context, id board.TaskID, lease board.Duration) (Claimed, gitstore.Result, error) {
	trees, err := c.Checkouts.requireTrees()
	if err != nil {
		return Claimed{}, gitstore.Result{}, err
	}
	r, err := c.Store.Do(ctx, func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		target, err := c.taskFor(b, board.ActClaim, at, cmp.Or(id, heldTask(b, c.By)))
		if err != nil {
			return flow.Move{}, nil, err
		}
		m, err := c.claim(ctx, b, at, &flow.ClaimMove{Lease: lease}, target)
		return m, nil, err
	})
	if err != nil {
		return Claimed{}, r, err
	}
	t := r.After.Task(r.Move.Task)
	claimed := Claimed{Task: t.ID, Status: t.Status, Branch: t.ID.Branch(), Base: t.Attempt.Base, Iteration: t.Attempt.Iteration}
	if err := blockedSetback(r, t.ID, claimed); err != nil {
		return claimed, r, err
	}
	claimed.Lease = t.Claim.Lease
	claimed.Worktree = trees.Path(t.ID.Folder(t.Attempt.Number))
	if err := c.Checkouts.makeRoom(ctx, r.After, t); err != nil {
		return claimed, r, missingWorktree(r, claimed, err)
	}
	_, err = c.Checkouts.checkOutAttempt(ctx, trees, t)
	claimed.Warning, err = hookWarning(err)
	return claimed, r, missingWorktree(r, claimed, err)
}

// hookWarning turns the failure of a user's hook, or what was kept of a ruined
// checkout, into a warning if the checkout is complete. The failure must not cost the claim.
func hookWarning(err error) (string, error) {
	if hook, ok := errors.AsType[*worktrees.HookError](err); ok {
		return hook.Error(), nil
	}
	if kept, ok := errors.AsType[*worktrees.Kept](err); ok {
		return kept.Error(), nil
	}
	return "", err
}

// Mend is [worktrees.Trees.Mend], and tells what was kept.
func Mend(ctx context.Context, c *Checkouts, folder string) error {
	warning, err := hookWarning(c.Trees.Mend(ctx, folder))
	if warning != "" {
		c.say(warning)
	}
	return err
}

// heldTask returns the task that an agent has claimed already. A repeated
// command means that task.
func heldTask(b *board.Board, by board.Actor) board.TaskID {
	if a := b.Agent(by.Agent()); a != nil {
		return a.Task
	}
	return ""
}

// claim builds the move for the board that it will be applied to.
func (c *Clone) claim(ctx context.Context, b *board.Board, at time.Time, d *flow.ClaimMove, id board.TaskID) (flow.Move, error) {
	d.Lease = cmp.Or(d.Lease, b.Settings().Config.Lease)
	replaces := flow.Replaces(b, id, c.By)
	m := c.Caller.Move(board.ActClaim, id, d)
	t := b.Task(id)
	if t == nil || flow.Opens(b, board.ActClaim, id, c.Caller, at) != nil {
		return m, nil
	}
	if t.Claim == nil || t.Claim.By != c.By {
		if paused := CheckPause(ctx, c.Repo); paused != nil {
			return m, paused
		}
	}
	if replaces {
		var err error
		if d.Saved, err = c.Checkouts.saveWork(ctx, t, false); err != nil {
			return m, err
		}
	}
	if t.Attempt == nil || replaces {
		return m, c.Checkouts.checkFree(ctx, t)
	}
	var err error
	d.Tip, err = c.Checkouts.takeTip(ctx, t)
	return m, err
}

// End makes a move that retires or restarts a task, with its attempt saved in
// the same transaction; detail gets the save, nil if there is nothing to keep.
// The checkouts of a task that became final are removed.
func (c *Clone) End(ctx context.Context, act board.Act, id board.TaskID, detail func(*board.Board, *board.Save) (flow.Detail, error)) (gitstore.Result, error) {
	r, err := c.Store.Do(ctx, func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		var kept *board.Save
		if t := b.Task(id); t != nil && !t.Status.Final() {
			var err error
			if kept, err = c.Checkouts.saveWork(ctx, t, false); err != nil {
				return flow.Move{}, nil, err
			}
		}
		d, err := detail(b, kept)
		if err == nil {
			err = c.checkSecrets(act, d)
		}
		if err != nil {
			return flow.Move{}, nil, err
		}
		return c.Caller.Move(act, id, d), nil, nil
	})
	if err != nil {
		return r, err
	}
	if t := r.After.Task(id); t != nil && t.Status.Final() {
		return r, uncleared(r, c.Checkouts.clearTask(ctx, t))
	}
	return r, nil
}

// Block stops work on a task until its questions are answered. If that ends a claim,
// what this clone has of the work is saved in the same transaction, so that another
// coder can go on with it. Supervisors of others save nothing.
func (c *Clone) Block(ctx context.Context, id board.TaskID, asked flow.BlockMove) (gitstore.Result, error) {
	return c.Store.Do(ctx, func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		d := asked
		if err := c.checkSecrets(board.ActBlock, &d); err != nil {
			return flow.Move{}, nil, err
		}
		t := b.Task(id)
		if t != nil && t.Claim != nil && board.MaySave(b, t, c.By) && flow.Opens(b, board.ActBlock, id, c.Caller, at) == nil {
			saved, err := c.saveClaimed(ctx, t)
			if err != nil {
				return flow.Move{}, nil, err
			}
			d.Saved = saved
		}
		return c.Caller.Move(board.ActBlock, id, &d), nil, nil
	})
}

// saveClaimed saves what this clone has of claimed work. Of somebody else's it saves
// only what continues the attempt: a branch that is left from an earlier one does not.
func (c *Clone) saveClaimed(ctx context.Context, t *board.Task) (*board.Save, error) {
	// The task names what is saved at this question, even if an earlier one saved the same.
	save, err := c.Checkouts.saveWork(ctx, t, true)
	if err != nil || save == nil || t.Claim.By == c.By {
		return save, err
	}
	goesOn, err := c.Repo.IsAncestor(ctx, t.Attempt.Start, save.Commit)
	switch {
	case goesOn:
		return save, nil
	case err != nil && git.ExitCode(err) < 0:
		return nil, err
	}
	return nil, nil // a branch of an earlier attempt, or the start was never fetched
}
