package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A Plan holds the contents of a new board.
type Plan struct {
	Goal   string // its first line is the title; "" takes the spec's first heading
	Spec   string // "" is specs/vision.md, and where that is of another goal, a page of its own
	Branch string // integration
	Lease  board.Duration

	set bool // it is one more goal of a board
}

// Prepare makes the root move of a board and checks the repository: there is
// a commit, the spec is in it, and no branch is in the way. The vision is that which
// [Clone.Init] writes where there is no spec; nil if there is one.
func (c *Clone) Prepare(ctx context.Context, p Plan) (*flow.InitMove, *Vision, error) {
	p.Goal = board.Clean(p.Goal)
	tip, created, err := c.startOf(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	own := p.Spec == ""
	p.Spec = cmp.Or(p.Spec, "specs/vision.md")
	title, found, err := c.Specs.heading(ctx, tip, p.Spec)
	if err != nil {
		return nil, nil, err
	}
	if own && found && p.Goal != "" && title != heading(p.Goal, longestHeading) && c.Repo.WorkTree() != "" {
		p.Spec, found = c.Specs.freePage(ctx, "goal-1"), false
	}
	var vision *Vision
	if !found {
		if vision, err = c.Specs.newVision(ctx, p, created); err != nil {
			return nil, nil, err
		}
		if vision == nil {
			return nil, nil, c.Specs.explainUnready(ctx, p, tip, created)
		}
	}
	if p.Goal != "" {
		title, _, _ = strings.Cut(p.Goal, "\n")
	}
	id, err := gitstore.RandomID()
	if err != nil {
		return nil, nil, err
	}
	config := board.DefaultConfig()
	config.Lease, config.ReviewLease = p.Lease, p.Lease
	return &flow.InitMove{Board: id, Format: board.NewestFormat, Goal: "goal-1", Title: title, Spec: p.Spec,
		Integration: board.Branch{Name: p.Branch, Tip: tip}, Created: created, Config: config}, vision, nil
}

// startOf returns the commit at which integration is or will be made. It refuses a
// repository without a commit, and branches that are in the way.
func (c *Clone) startOf(ctx context.Context, p Plan) (tip board.ObjectID, created bool, err error) {
	const longest = 128 // as the rules have it
	if _, err := c.Repo.Git(ctx, "check-ref-format", "--branch", p.Branch); err != nil || len(p.Branch) > longest {
		return "", false, &flow.Refusal{Rule: flow.RuleForm, Hint: "git liza help init", Reason: fmt.Sprintf("%q cannot be the integration branch", board.Excerpt(p.Branch, 80))}
	}
	ref := "refs/heads/" + p.Branch
	tip, err = c.Repo.Refs.Resolve(ctx, ref)
	if err != nil {
		return "", false, err
	}
	created = tip == ""
	if err = worktrees.FindClash(ctx, c.Repo, layout.TaskRoot[len("refs/heads/"):]+"/task"); created && err == nil {
		err = worktrees.FindClash(ctx, c.Repo, p.Branch)
	}
	if err != nil {
		return "", false, err
	}
	if created {
		if tip, err = c.Repo.ParseCommit(ctx, "HEAD"); err != nil {
			return "", false, &flow.Refusal{Rule: flow.RuleNoCommit, Hint: "git commit --allow-empty -m first", Reason: "the repository has no commit yet"}
		}
	}
	return tip, created, nil
}

// Init makes the root move, after it has written the vision if there is one. An
// existing board does not change, and gets no vision.
func (c *Clone) Init(ctx context.Context, d *flow.InitMove, vision *Vision) (gitstore.Result, error) {
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
	r, err := c.Store.Do(ctx, func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		m := c.Caller.Move(board.ActInit, "", d)
		if vision == nil {
			return m, nil, nil
		}
		err := vision.judge(b, m, *d, at)
		if err == nil {
			err = vision.Write(ctx)
		}
		d.Integration.Tip = vision.Commit
		return m, nil, err
	})
	if err != nil || c.Checkouts.Trees == nil {
		return r, err
	}
	return r, c.Checkouts.Trees.Ignore()
}
