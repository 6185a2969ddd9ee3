package work

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Checkouts are the worktrees of a clone's tasks and reviews, with the branches
// of tasks.
type Checkouts struct {
	Trees *worktrees.Trees // nil in a bare repository that says no place for them
	repo  *git.Repo
	store *gitstore.Store
	seals *Seals
	told  sync.Map // the lines that were said
}

// A Checkout is a worktree below .worktrees/ with its state on the board.
type Checkout struct {
	Name       string         `json:"name"`
	Path       string         `json:"path"`
	Branch     string         `json:"branch,omitempty"`
	Head       board.ObjectID `json:"head,omitempty"`
	Task       board.TaskID   `json:"task,omitempty"`
	Status     board.Status   `json:"status,omitempty"` // of the task
	Attempt    int            `json:"attempt,omitempty"`
	Submission int            `json:"submission,omitempty"` // of a review's checkout
	Role       board.Role     `json:"role,omitempty"`       // that reviews in it
	Broken     bool           `json:"broken,omitempty"`     // repeating the claim or review mends it
	Stale      bool           `json:"stale"`                // it is no longer needed
	Reason     string         `json:"reason"`               // its purpose, or why it is stale
}

// List returns the worktrees below .worktrees/, by name. There are none in a
// bare repository.
func (c *Checkouts) List(ctx context.Context, b *board.Board) ([]Checkout, error) {
	if c.Trees == nil {
		return nil, nil
	}
	trees, err := c.Trees.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Checkout, 0, len(trees))
	for _, tree := range trees {
		k := Checkout{Name: tree.Name, Path: tree.Path, Branch: tree.Branch, Head: tree.Head, Broken: tree.Broken}
		k.classify(b)
		if k.Stale && c.isStoodIn(k.Name) {
			k.Stale = false
			k.Reason += ", but somebody is in it"
		}
		list = append(list, k)
	}
	return list, b.Err()
}

// Names returns the names of the checkouts that are whole, as far as they can be read.
func (c *Checkouts) Names(ctx context.Context) []string {
	if c.Trees == nil {
		return nil
	}
	trees, _ := c.Trees.List(ctx) // a later look reads them
	whole := lists.Where(trees, func(tree worktrees.Tree) bool { return !tree.Broken })
	return lists.Of(whole, func(tree worktrees.Tree) string { return tree.Name })
}

// classify finds by a checkout's name what it belongs to, and whether that has
// ended. A checkout of unknown name is not ours and never stale.
func (k *Checkout) classify(b *board.Board) {
	id, number, review := board.ParseFolder(k.Name)
	t := b.Task(id)
	if t == nil || review != "" && number > t.Submissions || review == "" && number > t.Attempts {
		k.Reason = "not made for a task of this board"
		return
	}
	k.Task, k.Status = t.ID, t.Status
	if review != "" {
		k.Submission, k.Role = number, review
		k.Stale = t.Judgement(review).Review == nil || t.Submission == nil || t.Submission.Number != number
		k.Reason = fmt.Sprintf("review of submission %d", number)
		if review != board.CodeReviewer {
			k.Reason += " by a " + review.String()
		}
		if k.Stale {
			k.Reason += " has ended"
		}
		return
	}
	k.Attempt = number
	k.Reason = fmt.Sprintf("attempt %d", number)
	switch {
	case t.Status.Final():
		k.Stale = true
		k.Reason = "the task is " + t.Status.String()
	case t.Attempt == nil || t.Attempt.Number != number:
		k.Stale = true
		k.Reason += " was given up"
	}
}

// A Pruned checkout was removed. Rescued is the ref that keeps what only the
// checkout held, "" if it held nothing else.
type Pruned struct {
	Name    string `json:"name"`
	Rescued string `json:"rescued,omitempty"`
}

// Prune removes the stale checkouts and the leftovers of killed processes. It
// first keeps under refs/liza/rescue/ what only a checkout holds. One that
// cannot be removed stays, and the others are still removed; the error names
// all that stay.
func (c *Checkouts) Prune(ctx context.Context) ([]Pruned, error) {
	if c.Trees == nil {
		return nil, worktrees.ErrNoWorkTree
	}
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	pruned, err := c.prune(ctx, b, Checkout.isStale)
	sweepErr := c.Trees.Sweep(ctx)
	return pruned, errors.Join(err, sweepErr)
}

// prune removes some of the checkouts.
func (c *Checkouts) prune(ctx context.Context, b *board.Board, which func(Checkout) bool) ([]Pruned, error) {
	list, err := c.List(ctx, b)
	if err != nil {
		return nil, err
	}
	var pruned []Pruned
	var failed []error
	for _, k := range list {
		if !which(k) {
			continue
		}
		ref, err := c.rescueContents(ctx, b, k)
		if err == nil {
			err = c.dropFolder(ctx, k.Name, still(k.Name, which))
		}
		stays := !c.isGone(k.Name)
		if err == nil && !stays {
			pruned = append(pruned, Pruned{k.Name, ref})
		} else if err != nil && stays { // else another process was faster
			failed = append(failed, err)
		}
	}
	return pruned, errors.Join(failed...)
}

// rescueContents keeps what only a checkout holds.
func (c *Checkouts) rescueContents(ctx context.Context, b *board.Board, k Checkout) (ref string, err error) {
	if k.Broken {
		return "", nil
	}
	commit, err := c.snapshot(ctx, nil, k.Path, "Leftovers of "+k.Name)
	if err != nil {
		return "", err
	}
	return c.keepCommit(ctx, b, k.Task, commit, k.Name)
}

// isKept reports whether integration or a ref that stays contains a commit.
func (c *Checkouts) isKept(ctx context.Context, b *board.Board, id board.TaskID, commit board.ObjectID) (bool, error) {
	refs, err := c.repo.Refs.List(ctx, layout.SavedRefs+string(id), layout.RescueRefs+string(id))
	if err != nil {
		return false, err
	}
	refs["integration"] = b.Settings().Integration.Tip
	for _, tip := range refs {
		if behind, err := c.repo.IsAncestor(ctx, commit, tip); err != nil || behind {
			return behind, err
		}
	}
	return false, nil
}

// keepCommit keeps a commit under refs/liza/rescue/. If integration or a ref
// that stays contains it, ref is "".
func (c *Checkouts) keepCommit(ctx context.Context, b *board.Board, id board.TaskID, commit board.ObjectID, what string) (ref string, err error) {
	kept, err := c.isKept(ctx, b, id, commit)
	if err != nil || kept {
		return "", err
	}
	ref = layout.RescueRefs + string(id) + "/" + commit.Short()
	return ref, c.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: ref, New: commit, Any: true}}, "liza: leftovers of "+what)
}

// requireTrees returns the clone's worktrees, or why none can be made: in a bare repository, for
// example.
func (c *Checkouts) requireTrees() (*worktrees.Trees, error) {
	if c.Trees == nil {
		return nil, worktrees.ErrNoWorkTree
	}
	return c.Trees, c.Trees.CheckRoom()
}

func (c *Checkouts) ignoreFolder() error {
	if c.Trees == nil {
		return nil
	}
	return c.Trees.Ignore()
}
