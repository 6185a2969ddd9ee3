package work

import (
	"context"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Plan holds the contents of a new board.
type Plan struct {
	Title  string // "" takes the spec's first heading
	Spec   string
	Branch string // integration
	Lease  flow.Duration
}

// Prepare makes the root move of a board and checks the repository: there is
// a commit, the spec is in it, and no branch is in the way.
func (c *Clone) Prepare(ctx context.Context, p Plan) (*flow.InitMove, error) {
	const longest = 128 // as the rules have it
	if _, err := c.Repo.Git(ctx, "check-ref-format", "--branch", p.Branch); err != nil || len(p.Branch) > longest {
		return nil, &flow.Refusal{Rule: flow.RuleForm, Hint: "git liza help init", Reason: fmt.Sprintf("%q cannot be the integration branch", flow.Excerpt(p.Branch, 80))}
	}
	ref := "refs/heads/" + p.Branch
	tip, err := c.Repo.Refs.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	created := tip == ""
	if created {
		if tip, err = c.Repo.ParseCommit(ctx, "HEAD"); err != nil {
			return nil, &flow.Refusal{Rule: flow.RuleNoCommit, Hint: "git commit --allow-empty -m first", Reason: "the repository has no commit yet"}
		}
	}
	taken, err := c.Repo.Refs.Resolve(ctx, layout.TaskRoot)
	if err != nil {
		return nil, err
	}
	if taken != "" {
		return nil, &flow.Refusal{Rule: flow.RuleBranch, Hint: "git branch -m liza OTHER", Reason: "the branch liza is in the way of the task branches liza/…"}
	}
	heading, found, err := c.Specs.heading(ctx, tip, p.Spec)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, c.Specs.explainUnready(ctx, p, tip, created)
	}
	if p.Title == "" {
		p.Title = heading
	}
	id, err := gitstore.RandomID()
	if err != nil {
		return nil, err
	}
	config := flow.DefaultConfig()
	config.Lease, config.ReviewLease = p.Lease, p.Lease
	return &flow.InitMove{Board: id, Rules: flow.RulesVersion, Goal: "goal-1", Title: p.Title, Spec: p.Spec,
		Integration: flow.Branch{Name: p.Branch, Tip: tip}, Created: created, Config: config}, nil
}

// Init makes the root move. An existing board does not change.
func (c *Clone) Init(ctx context.Context, d *flow.InitMove) (gitstore.Result, error) {
	tip, err := c.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return gitstore.Result{}, err
	}
	if tip != "" {
		b, err := c.Store.BoardAt(tip)
		if err == nil {
			err = c.Store.Settler.Settle(ctx)
		}
		return gitstore.Result{Already: true, Commit: tip, Before: b, After: b}, err
	}
	r, err := c.Store.Do(ctx, func(*flow.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
		return c.Caller.Move(flow.ActInit, "", d), nil, nil
	})
	if err != nil || c.Checkouts.Trees == nil {
		return r, err
	}
	return r, c.Checkouts.Trees.Ignore()
}
