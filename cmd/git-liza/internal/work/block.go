package work

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Block stops work on a task until its questions are answered. If that ends a claim,
// what this clone has of the work is saved in the same transaction, so that another
// coder can go on with it. Supervisors of others save nothing.
func (c *Clone) Block(ctx context.Context, id flow.TaskID, asked flow.BlockMove) (gitstore.Result, error) {
	return c.Store.Do(ctx, func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		d := asked
		if err := c.checkSecrets(flow.ActBlock, &d); err != nil {
			return flow.Move{}, nil, err
		}
		t := b.Task(id)
		if t != nil && t.Claim != nil && flow.MaySave(b, t, c.By) && b.Opens(flow.ActBlock, id, c.Caller, at) == nil {
			saved, err := c.saveClaimed(ctx, t)
			if err != nil {
				return flow.Move{}, nil, err
			}
			d.Saved = saved
		}
		return c.Caller.Move(flow.ActBlock, id, &d), nil, nil
	})
}

// saveClaimed saves what this clone has of claimed work. Of somebody else's it saves
// only what continues the attempt: a branch that is left from an earlier one does not.
func (c *Clone) saveClaimed(ctx context.Context, t *flow.Task) (*flow.Save, error) {
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
