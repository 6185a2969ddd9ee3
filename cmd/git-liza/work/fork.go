package work

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Origin is the mark of another board from which a board begins.
type Origin struct {
	Mark   string
	Remote string // that has it; "." for the refs of this repository, of a board that is gone
	Branch string // integration; "" for that of the other board
	Reason string // "" for one that names the mark and the remote
}

// Fork begins a board from a mark, as [gitstore.Store.Fork] does, after it has fetched
// what its moves need. It returns the state of the mark too.
func (c *Clone) Fork(ctx context.Context, o Origin) (gitstore.Result, gitstore.MarkedState, error) {
	from, err := c.markedState(ctx, o)
	if err != nil {
		return gitstore.Result{}, from, err
	}
	id, err := gitstore.RandomID()
	if err != nil {
		return gitstore.Result{}, from, err
	}
	was := from.Board.Settings().Integration
	d := &flow.ForkMove{Board: id, Mark: o.Mark, Integration: flow.Branch{Name: cmp.Or(o.Branch, was.Name), Tip: was.Tip},
		Reason: cmp.Or(o.Reason, fmt.Sprintf("begins from %s of %s", o.Mark, o.place()))}
	r, err := c.Store.Fork(ctx, from, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		extra, err := c.forkBranch(ctx, o, d)
		return c.Caller.Move(flow.ActFork, "", d), extra, err
	})
	if err == nil && o.Remote != "." {
		err = c.Store.Origins.Forget(ctx, o.Remote)
	}
	if err != nil || c.Checkouts.Trees == nil {
		return r, from, err
	}
	return r, from, c.Checkouts.Trees.Ignore()
}

// place names in words where the mark is.
func (o Origin) place() string {
	if o.Remote == "." {
		return "this repository"
	}
	return o.Remote
}

// markedState is the state of the mark, fetched from the remote.
func (c *Clone) markedState(ctx context.Context, o Origin) (gitstore.MarkedState, error) {
	if !flow.IsMarkName(o.Mark) {
		return gitstore.MarkedState{}, &flow.Refusal{Rule: flow.RuleForm, Hint: "git liza mark --list", Reason: fmt.Sprintf("%q cannot name a mark", flow.Excerpt(o.Mark, 80))}
	}
	if o.Remote == "." {
		return c.Store.Origins.ReadMark(ctx, o.Mark)
	}
	return c.Store.Origins.FetchMark(ctx, o.Remote, o.Mark)
}

// forkBranch sets whether the integration branch is made with the board. It refuses
// a branch that is at another commit than the board would have it.
func (c *Clone) forkBranch(ctx context.Context, o Origin, d *flow.ForkMove) ([]git.RefUpdate, error) {
	want := d.Integration
	if taken, err := c.Repo.Refs.Resolve(ctx, layout.TaskRoot); err != nil {
		return nil, err
	} else if taken != "" {
		return nil, &flow.Refusal{Rule: flow.RuleBranch, Hint: "git branch -m liza OTHER", Reason: "the branch liza is in the way of the task branches liza/…"}
	}
	if _, err := c.Repo.Git(ctx, "check-ref-format", "--branch", want.Name); err != nil {
		return nil, &flow.Refusal{Rule: flow.RuleForm, Hint: "git liza help init", Reason: fmt.Sprintf("%q cannot be the integration branch", flow.Excerpt(want.Name, 80))}
	}
	now, err := c.Repo.Refs.Resolve(ctx, want.Ref())
	switch {
	case err != nil:
		return nil, err
	case now == "":
		d.Created = true
		return nil, nil
	case now == want.Tip:
		d.Created = false
		return []git.RefUpdate{{Name: want.Ref(), Old: now, New: now}}, nil
	}
	return nil, fmt.Errorf("%w: %w", gitstore.ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip,
		Hint:   fmt.Sprintf("git liza init --from-mark %s --of %s --integration %s-%s", o.Mark, o.Remote, want.Name, o.Mark),
		Reason: fmt.Sprintf("%s is at %s here, and at %s it was at %s: the new board needs a branch of its own", want.Name, now.Short(), o.Mark, want.Tip.Short())})
}
