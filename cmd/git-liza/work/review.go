package work

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Reviewing is the result of claiming a review.
type Reviewing struct {
	Task     flow.TaskID   `json:"task"`
	Commit   flow.ObjectID `json:"commit"`
	Base     flow.ObjectID `json:"base_commit"`
	Worktree string        `json:"worktree"`
	Author   flow.Actor    `json:"author"`
	Lease    time.Time     `json:"lease_expires"`
	Warning  string        `json:"warning,omitempty"` // a failure of the user's own post-checkout hook
}

// Review takes the review of a task, the best one if id is "", and checks the
// submitted commit out beside the work. Repeating it repairs the checkout. A
// review that reaches the limit is a *Setback.
func (c *Clone) Review(ctx context.Context, id flow.TaskID, lease flow.Duration) (Reviewing, gitstore.Result, error) {
	trees, err := c.Checkouts.requireTrees()
	if err != nil {
		return Reviewing{}, gitstore.Result{}, err
	}
	r, err := c.Store.Do(ctx, func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		target := id
		if a := b.Agent(c.By.Agent()); target == "" && a != nil {
			if t := b.Task(a.Review); t != nil && t.Review() != nil && t.Review().Lease.After(at) {
				target = a.Review
			}
		}
		if target == "" {
			best, err := c.bestTask(b, flow.ActReview, at)
			if err != nil {
				return flow.Move{}, nil, err
			}
			target = best
		}
		d := &flow.ReviewMove{Lease: lease}
		if lease == 0 {
			d.Lease = b.Settings().Config.ReviewLease
		}
		return c.Caller.Move(flow.ActReview, target, d), nil, nil
	})
	if err != nil {
		return Reviewing{}, r, err
	}
	t := r.After.Task(r.Move.Task)
	got := Reviewing{Task: t.ID, Commit: t.Submission.Commit, Base: t.Submission.Base, Author: t.Attempt.Coder}
	if err := blockedSetback(r, t.ID, got); err != nil {
		return got, r, err
	}
	got.Lease = t.Review().Lease
	got.Worktree = trees.Path(t.ID.ReviewFolder(t.Submission.Number))
	got.Warning, err = c.checkOutReview(ctx, trees, t, r.Already)
	return got, r, missingWorktree(r, got, err)
}

// checkOutReview makes the checkout of a review that is claimed, and seals it.
// warning is the failure of a user's hook.
func (c *Clone) checkOutReview(ctx context.Context, trees *worktrees.Trees, t *flow.Task, already bool) (warning string, err error) {
	if err := c.Store.Mirror.BringCommits(ctx, t.ID, t.Submission.Commit); err != nil {
		return "", err
	}
	if err := trees.Ignore(); err != nil {
		return "", err
	}
	_, err = trees.Detached(ctx, t.ID.ReviewFolder(t.Submission.Number), t.Submission.Commit)
	if warning, err = hookWarning(err); err != nil {
		return "", err
	}
	if already && c.Generation.Spawned() {
		return warning, nil // sealing now would include the hook's changes
	}
	if already {
		if pristine, err := c.Seals.isPristine(ctx, t); err != nil || !pristine {
			return warning, err
		}
	}
	return warning, c.Seals.Seal(ctx, t, false)
}

// Verdict makes an approve or reject move and removes the review's checkout.
// It refuses before the move if the agent has changed what it judges, because
// another process may merge immediately. A rejection that reaches the limit
// is a *Setback.
func (c *Clone) Verdict(ctx context.Context, act flow.Act, id flow.TaskID, detail flow.Detail) (gitstore.Result, error) {
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return gitstore.Result{}, err
	}
	if t := b.Task(id); t != nil && t.IsReviewedBy(c.By) {
		if err := c.Seals.CheckUntouched(ctx, t); err != nil {
			return gitstore.Result{}, err
		}
	}
	r, err := c.Make(ctx, act, id, detail)
	if err != nil {
		return r, err
	}
	t := r.After.Task(id)
	if c.Checkouts.Trees != nil && t.Submissions > 0 {
		if err := c.Checkouts.dropFolder(ctx, id.ReviewFolder(t.Submissions)); err != nil {
			return r, uncleared(r, err)
		}
	}
	return r, blockedSetback(r, id, nil)
}

// Release gives a claim or review back. The worktree of a claim stays for its
// coder. The worktree of a review is removed.
func (c *Clone) Release(ctx context.Context, id flow.TaskID, noVerdict bool) (gitstore.Result, error) {
	r, err := c.Make(ctx, flow.ActRelease, id, &flow.ReleaseMove{NoVerdict: noVerdict})
	if err != nil || c.Checkouts.Trees == nil {
		return r, err
	}
	if t := r.After.Task(id); t.Status.Allows(flow.ActReview) {
		err = c.Checkouts.dropFolder(ctx, id.ReviewFolder(t.Submissions))
	}
	return r, uncleared(r, err)
}

// Renew prolongs the lease of a claim or review. A lease of 0 means the
// board's.
func (c *Clone) Renew(ctx context.Context, id flow.TaskID, lease flow.Duration) (gitstore.Result, error) {
	return c.Move(ctx, flow.ActRenew, id, func(b *flow.Board) (flow.Detail, error) {
		d := &flow.RenewMove{Lease: lease}
		if t := b.Task(id); lease == 0 && t != nil {
			d.Lease = b.Settings().Config.Lease
			if t.Claim == nil {
				d.Lease = b.Settings().Config.ReviewLease
			}
		}
		return d, nil
	})
}
