// Package work holds the acts that touch both the blackboard and a checkout:
// claim, submit, review, verdict, merge and the acts that undo them. The
// commands and the supervisors call the same functions.
//
// Every act makes its move first and changes the checkouts afterwards, so
// that the loser of a race changes nothing. Repeating an act after a crash
// completes it.
package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A Clone is one clone of a repository with its blackboard and checkouts, on behalf
// of one actor. It is for one goroutine. Its own methods are the acts on tasks. Its
// parts are in the order of their layers: each uses only parts above it.
type Clone struct {
	Specs       *Specs       // finds the files of specs
	*mover                   // the actor, and its moves that change only the blackboard
	Trust       *Trust       // which of the board's commands this machine runs
	Seals       *Seals       // whether reviewers changed what they judge
	Checkouts   *Checkouts   // worktrees of tasks and reviews
	commands    *commands    // runs gates and verify commands
	Integration *Integration // the branch that approved work reaches
	Principals  *Principals  // the principals of the board, and the keys of this clone
	Doctor      *Doctor      // what would make work fail here
}

// Open returns the clone of an open repository, without an actor. Verify commands
// and gates get a filtered part of environ. It clears what dead processes left of
// checkouts, see [worktrees.Leftovers.Clear].
func Open(ctx context.Context, repo *git.Repo, now func() time.Time, environ []string) (*Clone, error) {
	store := gitstore.OpenStore(ctx, repo, now)
	trees, err := worktrees.Open(repo)
	if err != nil && !errors.Is(err, worktrees.ErrNoWorkTree) {
		return nil, err
	}
	if trees != nil {
		trees.FreeBranches = isClaimed(repo, now)
		trees.SetIntegration(func(ctx context.Context) (name string) {
			askBoard(ctx, repo, now, func(b *board.Board) { name = b.Settings().Integration.Name })
			return name
		})
		// An error is ignored: leftovers do no harm, or the command that they
		// obstruct names them.
		_ = trees.Leftovers.Clear(ctx)
		trees.HookEnv = proc.Environment(environ, []string{"GIT_*", "LIZA_*", "XDG_*"})
	}
	c := assemble(store, trees, environ)
	if trees != nil {
		trees.GuardPrograms(c.commands.runGit)
	}
	return c, nil
}

// ParseCommit is [git.Repo.ParseCommit], in a checkout after what was committed there is the clone's.
func ParseCommit(ctx context.Context, c *Clone, name string) (git.ID, error) {
	return c.Specs.parseCommit(ctx, name)
}

// isClaimed reports whether somebody works on the task of a branch. A branch whose task is
// judged stays at what is judged, also where the board cannot be read.
func isClaimed(repo *git.Repo, now func() time.Time) func(context.Context, string) bool {
	return func(ctx context.Context, branch string) (claimed bool) {
		askBoard(ctx, repo, now, func(b *board.Board) {
			t := b.Task(board.TaskID(strings.TrimPrefix(branch, layout.TaskBranches)))
			claimed = t != nil && t.Claim != nil
		})
		return claimed
	}
}

// askBoard asks the board, if it can be read, with a store of its own, since any goroutine may.
func askBoard(ctx context.Context, repo *git.Repo, now func() time.Time, ask func(*board.Board)) {
	if b, _, err := gitstore.OpenStore(ctx, repo, now).Board(ctx); err == nil {
		ask(b)
	}
}

// RunMarked runs a command that often runs files of a checkout, so that its processes make
// no moves. The result and the error are those of [proc.Run], or the error of reading the
// board.
func RunMarked(ctx context.Context, c *Clone, command proc.Command) (proc.Result, error) {
	return c.commands.runMarked(ctx, command)
}

// assemble joins the parts. It lets checkouts follow when the store moves
// integration for a remote, and lets the store check the process that makes a
// move.
func assemble(store *gitstore.Store, trees *worktrees.Trees, environ []string) *Clone {
	repo := store.Repo
	store.Permit = permitMoves(store)
	if trees != nil {
		store.Settler.Follower = follower{trees, store}
	}
	c := &Clone{Specs: &Specs{repo: repo, store: store, trees: trees}}
	c.mover = &mover{Repo: repo, Store: store, environ: environ, specs: c.Specs}
	c.Trust = &Trust{repo: repo, mover: c.mover}
	c.Seals = &Seals{repo: repo, trees: trees, mover: c.mover}
	c.Checkouts = &Checkouts{Trees: trees, repo: repo, store: store, seals: c.Seals}
	store.Mirror.CheckSaves = func(ctx context.Context, remote string, asked bool) error {
		return checkSaves(ctx, c.Checkouts, remote, asked)
	}
	c.commands = &commands{repo: repo, store: store, mover: c.mover, trust: c.Trust, checkouts: c.Checkouts,
		receipts: &receipts{repo, c.mover, &sync.Map{}}}
	c.Integration = &Integration{repo: repo, store: store, mover: c.mover, checkouts: c.Checkouts, commands: c.commands}
	c.Principals = &Principals{repo: repo, store: store, mover: c.mover}
	c.Doctor = &Doctor{repo: repo, store: store, checkouts: c.Checkouts, integration: c.Integration, trust: c.Trust, environ: environ}
	return c
}

// As returns the same clone on behalf of another actor, for another goroutine.
func (c *Clone) As(ctx context.Context, by board.Actor, g board.Generation) (*Clone, error) {
	store := gitstore.OpenStore(ctx, c.Repo, c.Store.Now)
	store.Commits.Judge = c.Store.Commits.Judge
	other := assemble(store, c.Checkouts.Trees, c.environ)
	other.commands.receipts.kept = c.commands.receipts.kept
	other.Distant, other.Specs.Dir, store.Landed = c.Distant, c.Specs.Dir, c.Store.Landed
	return other, other.Identify(ctx, by, g)
}

// A Setback is a move that was made but led to another state than its caller
// asked for: a merge that became INTEGRATION_FAILED, a claim, review or
// reject that blocked the task.
type Setback struct {
	Rule    flow.Rule
	Reason  string
	Hint    string
	Data    any
	Already bool // another process had made the move
}

// Error returns the reason.
func (s *Setback) Error() string { return s.Reason }

// blockedSetback returns the setback of a move that reached a limit, nil if it did
// not.
func blockedSetback(r gitstore.Result, id board.TaskID, data any) error {
	t := r.After.Task(id)
	if r.Already || t == nil || !t.Status.IsBlocked() {
		return nil
	}
	return &Setback{Rule: flow.RuleLimit, Reason: string(id) + " is BLOCKED: " + t.Block.Reason, Hint: "git liza show " + string(id), Data: data}
}

// An Unfinished reports a move that was made while its change in the clone
// failed: a checkout to make or remove, or a branch to move. It is no refusal.
// Then is the command that completes it.
type Unfinished struct {
	Move flow.Move
	Lack string // what is missing, as "its worktree is not made"
	Err  error
	Then string
	Data any

	Already bool // the move was made before
}

// Error names the move, what is missing, and why.
func (u *Unfinished) Error() string {
	return fmt.Sprintf("the %s of %s by %s is made, and %s: %v", u.Move.Act, u.Move.Task, u.Move.By, u.Lack, u.Err)
}

// Unwrap returns why it is missing.
func (u *Unfinished) Unwrap() error { return u.Err }

// unfinishedMove wraps err as an [Unfinished] of the move. It returns nil for
// nil.
func unfinishedMove(r gitstore.Result, lack, then string, data any, err error) error {
	if err == nil {
		return nil
	}
	return &Unfinished{Move: r.Move, Lack: lack, Err: err, Then: then, Data: data, Already: r.Already}
}

// missingWorktree reports the missing worktree of a claim or a review. Repeating the
// command makes it.
func missingWorktree(r gitstore.Result, data any, err error) error {
	then := fmt.Sprintf("git liza %s %s --as %s", r.Move.Act.Command(), r.Move.Task, shell.Quote(string(r.Move.By)))
	return unfinishedMove(r, "its worktree is not", then, data, err)
}

// uncleared reports a checkout or branch that still exists although a move ended
// it.
func uncleared(r gitstore.Result, err error) error {
	return unfinishedMove(r, "what it leaves in this clone is not cleared away", "git liza worktree prune", nil, err)
}
