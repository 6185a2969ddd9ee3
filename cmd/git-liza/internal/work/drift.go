package work

import (
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Drift says how far integration went on since approved work began.
type Drift struct {
	Commits int      // that a merge would count now
	Both    []string // the paths that integration and the work changed, sorted
}

// DriftOf is the drift of approved work. It is nil of other work, and where a commit of it
// cannot be read here.
func (i *Integration) DriftOf(ctx context.Context, b *flow.Board, t *flow.Task) *Drift {
	if !t.Status.Allows(flow.ActMerge) || t.Attempt == nil || t.Submission == nil {
		return nil
	}
	base, tip := t.Attempt.Base, b.Settings().Integration.Tip
	commits, err := i.store.Commits.Drift(ctx, base, tip)
	if err != nil || i.store.Mirror.BringCommits(ctx, t.ID, t.Submission.Commit, t.Submission.Base) != nil {
		return nil
	}
	d := &Drift{commits, []string{}}
	theirs, err := i.repo.Changes(ctx, base, tip)
	if err != nil {
		return nil
	}
	own, err := i.repo.Changes(ctx, t.Submission.Base, t.Submission.Commit)
	if err != nil {
		return nil
	}
	changed := lists.Set(theirs, func(c git.Change) string { return c.Path })
	both := lists.Where(own, func(c git.Change) bool { return changed[c.Path] })
	d.Both = append(d.Both, lists.Of(both, func(c git.Change) string { return c.Path })...)
	slices.Sort(d.Both)
	return d
}
