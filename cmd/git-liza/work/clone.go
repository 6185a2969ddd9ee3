// Package work holds the acts that touch both the blackboard and a checkout:
// claim, submit, review, verdicts, merge and what undoes them. The commands
// and the supervisors call the same functions.
//
// Every act makes its move first and brings the checkouts along afterwards,
// so that a loser of a race touches nothing; repeating an act after a crash
// completes what is missing.
package work

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A Clone is one clone of a repository with its blackboard and checkouts, on
// behalf of one actor. It is for one goroutine.
type Clone struct {
	flow.Caller // on whose behalf; the zero value only looks
	Repo        *git.Repo
	Store       *gitstore.Store
	Trees       *worktrees.Trees // nil in a bare repository
	Distant     bool             // a model makes the moves: its commands are not this machine's human's
	Dir         string           // of whoever types what is hinted at
	environ     []string
}

// Open is the clone of an open repository, without an actor. environ is what
// verify commands and gates get a filtered part of. It clears what dead processes
// left of checkouts, see [worktrees.Trees.Recover].
func Open(ctx context.Context, repo *git.Repo, now func() time.Time, environ []string) (*Clone, error) {
	store, err := gitstore.OpenStore(ctx, repo, now)
	if err != nil {
		return nil, err
	}
	trees, err := worktrees.Open(repo)
	if err != nil && !errors.Is(err, worktrees.ErrNoWorkTree) {
		return nil, err
	}
	if trees != nil {
		// What cannot be cleared is in nobody's way, or is named where it is.
		_ = trees.Recover(ctx)
		trees.HookEnv = proc.Environment(environ, []string{"GIT_*", "LIZA_*", "XDG_*"})
	}
	c := &Clone{Repo: repo, Store: store, Trees: trees, environ: environ}
	c.lead(store)
	return c, nil
}

// lead lets checkouts of integration follow where a store moves it for the
// sake of a remote, and the store ask whose process makes a move.
func (c *Clone) lead(store *gitstore.Store) {
	store.Permit = checkMover(c.Repo)
	if c.Trees != nil {
		store.Settler.Follower = follower{c.Trees, store}
	}
}

// As is the same clone on behalf of another actor, for a goroutine of its own.
func (c *Clone) As(ctx context.Context, by flow.Actor, g flow.Generation) (*Clone, error) {
	store, err := gitstore.OpenStore(ctx, c.Repo, c.Store.Now)
	if err != nil {
		return nil, err
	}
	c.lead(store)
	other := *c
	other.Store = store
	return &other, other.Identify(ctx, by, g)
}

// A Setback is a move that was made and ended elsewhere than its caller
// hoped: a merge that became INTEGRATION_FAILED, a claim, review or reject
// that blocked the task.
type Setback struct {
	Rule    flow.Rule
	Reason  string
	Hint    string
	Data    any
	Already bool // another process had made the move
}

// Error is the reason.
func (s *Setback) Error() string { return s.Reason }

// Move makes a move that touches nothing but the blackboard. The detail is
// made for the board it will be applied to.
func (c *Clone) Move(ctx context.Context, act flow.Act, task flow.TaskID, detail func(*flow.Board) (flow.Detail, error)) (gitstore.Result, error) {
	var asked flow.Question
	r, err := c.Store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		d, err := detail(b)
		if err == nil {
			err = c.discreet(act, d)
		}
		if err != nil {
			return flow.Move{}, nil, err
		}
		m := c.move(act, task, d)
		asked = b.Ask(m)
		return m, nil, nil
	})
	return r, c.specified(ctx, asked, err)
}

// discreet refuses the move of a spawned agent that has the value of a secret
// variable of its environment in it: the board is for ever, and shared.
func (c *Clone) discreet(act flow.Act, d flow.Detail) error {
	if !c.Generation.Spawned() {
		return nil
	}
	text, err := document.Encode(d)
	if err == nil && secret.New(c.environ, nil).Value(string(text)) {
		err = &flow.Refusal{Rule: flow.RuleSecret, Hint: "git liza help " + act.Command(),
			Reason: "what this says holds a key or token of your environment, and the board keeps everything: say it without"}
	}
	return err
}

// Make is [Clone.Move] for a detail that does not depend on the board.
func (c *Clone) Make(ctx context.Context, act flow.Act, task flow.TaskID, detail flow.Detail) (gitstore.Result, error) {
	return c.Move(ctx, act, task, func(*flow.Board) (flow.Detail, error) { return detail, nil })
}

func (c *Clone) move(act flow.Act, task flow.TaskID, detail flow.Detail) flow.Move {
	return c.Caller.Move(act, task, detail)
}

// checkouts is the clone's worktrees, or the error of a bare repository.
func (c *Clone) checkouts() (*worktrees.Trees, error) {
	if c.Trees == nil {
		return nil, worktrees.ErrNoWorkTree
	}
	return c.Trees, nil
}

// blocked is the setback of a move that reached a limit, nil if it did not.
func blocked(r gitstore.Result, id flow.TaskID, data any) error {
	t := r.After.Task(id)
	if r.Already || t == nil || !t.Status.IsBlocked() {
		return nil
	}
	return &Setback{Rule: flow.RuleLimit, Reason: string(id) + " is BLOCKED: " + t.Block.Reason, Hint: "git liza show " + string(id), Data: data}
}
