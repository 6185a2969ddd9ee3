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
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A Clone is one clone of a repository with its blackboard and checkouts, on
// behalf of one actor. It is for one goroutine. Its own methods are the acts on
// tasks. Its parts stand in the order of their layers: each uses only parts above it.
type Clone struct {
	Specs       *Specs       // where files of specs are
	*mover                   // on whose behalf; moves that touch nothing but the blackboard
	Trust       *Trust       // which of the board's commands this machine runs
	Seals       *Seals       // whether reviewers left what they judge as it was
	Checkouts   *Checkouts   // worktrees of tasks and reviews
	commands    *commands    // runs gates and verify commands
	Integration *Integration // the branch that approved work reaches
	Principals  *Principals  // who may act, and the keys of this clone
	Doctor      *Doctor      // what would make work fail here
}

// Open is the clone of an open repository, without an actor. environ is what
// verify commands and gates get a filtered part of. It clears what dead processes
// left of checkouts, see [worktrees.Leftovers.Clear].
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
		_ = trees.Leftovers.Clear(ctx)
		trees.HookEnv = proc.Environment(environ, []string{"GIT_*", "LIZA_*", "XDG_*"})
	}
	return assemble(store, trees, environ), nil
}

// assemble joins the parts. Checkouts of integration follow where the store moves
// it for the sake of a remote, and the store asks whose process makes a move.
func assemble(store *gitstore.Store, trees *worktrees.Trees, environ []string) *Clone {
	repo := store.Repo
	store.Permit = checkMover(repo)
	if trees != nil {
		store.Settler.Follower = follower{trees, store}
	}
	c := &Clone{Specs: &Specs{repo: repo, store: store}}
	c.mover = &mover{Repo: repo, Store: store, environ: environ, specs: c.Specs}
	c.Trust = &Trust{repo: repo, mover: c.mover}
	c.Seals = &Seals{repo: repo, trees: trees, mover: c.mover}
	c.Checkouts = &Checkouts{Trees: trees, repo: repo, store: store, seals: c.Seals}
	c.commands = &commands{repo: repo, store: store, mover: c.mover, trust: c.Trust, checkouts: c.Checkouts,
		receipts: &receipts{repo: repo, mover: c.mover}}
	c.Integration = &Integration{repo: repo, store: store, mover: c.mover, checkouts: c.Checkouts, commands: c.commands}
	c.Principals = &Principals{repo: repo, store: store, mover: c.mover}
	c.Doctor = &Doctor{repo: repo, store: store, checkouts: c.Checkouts, integration: c.Integration, trust: c.Trust}
	return c
}

// As is the same clone on behalf of another actor, for a goroutine of its own.
func (c *Clone) As(ctx context.Context, by flow.Actor, g flow.Generation) (*Clone, error) {
	store, err := gitstore.OpenStore(ctx, c.Repo, c.Store.Now)
	if err != nil {
		return nil, err
	}
	other := assemble(store, c.Checkouts.Trees, c.environ)
	other.Distant, other.Specs.Dir = c.Distant, c.Specs.Dir
	return other, other.Identify(ctx, by, g)
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

// blockedSetback is the setback of a move that reached a limit, nil if it did not.
func blockedSetback(r gitstore.Result, id flow.TaskID, data any) error {
	t := r.After.Task(id)
	if r.Already || t == nil || !t.Status.IsBlocked() {
		return nil
	}
	return &Setback{Rule: flow.RuleLimit, Reason: string(id) + " is BLOCKED: " + t.Block.Reason, Hint: "git liza show " + string(id), Data: data}
}
