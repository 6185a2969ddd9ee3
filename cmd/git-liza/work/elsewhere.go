package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A follower brings checkouts of the integration branch along when the mirror
// of a remote moves it.
type follower struct {
	trees *worktrees.Trees
	store *gitstore.Store
}

// MayFollow refuses to move the branch under somebody who has it checked out
// with changes.
func (f follower) MayFollow(ctx context.Context, from, to flow.ObjectID) error {
	return f.each(ctx, from, to, f.trees.CheckFollow)
}

// Follow brings the checkouts to where the branch is.
func (f follower) Follow(ctx context.Context, from, to flow.ObjectID) error {
	return f.each(ctx, from, to, f.trees.Follow)
}

func (f follower) each(ctx context.Context, from, to flow.ObjectID, do func(context.Context, string, flow.ObjectID, flow.ObjectID) error) error {
	b, _, err := f.store.Board(ctx)
	if errors.Is(err, gitstore.ErrNoBoard) || from == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return do(ctx, b.Settings().Integration.Name, from, to)
}

// Join makes a remote the authority of this clone, as [gitstore.Mirror.Join]
// does, and keeps .worktrees/ out of the user's status.
func (c *Clone) Join(ctx context.Context, remote string, publish bool) (gitstore.Synced, error) {
	synced, err := c.Store.Mirror.Join(ctx, remote, publish)
	if err != nil {
		return synced, err
	}
	return synced, c.ignore()
}

func (c *Clone) ignore() error {
	if c.Trees == nil {
		return nil
	}
	return c.Trees.Ignore()
}

// refresh syncs where there is a remote: what is asked before a move is made
// has to be asked of the board as it is there.
func (c *Clone) refresh(ctx context.Context) (bool, error) {
	remote, err := c.Store.Authority(ctx)
	if err != nil || remote == "" {
		return false, err
	}
	_, err = c.Store.Mirror.Sync(ctx)
	return err == nil, err
}

// Fresh is the board as it is now, on the remote where there is one.
func (c *Clone) Fresh(ctx context.Context) (*flow.Board, error) {
	if _, err := c.refresh(ctx); err != nil {
		return nil, err
	}
	b, _, err := c.Store.Board(ctx)
	return b, err
}

// opened is the board on which an act may begin, or the reason why not. A
// mirror that says no is brought up to date and asked again.
func (c *Clone) opened(ctx context.Context, act flow.Act, id flow.TaskID) (*flow.Board, *flow.Refusal, error) {
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return nil, nil, err
	}
	refusal := b.Opens(act, id, c.Caller, b.At())
	if refusal == nil {
		return b, nil, nil
	}
	synced, err := c.refresh(ctx)
	if err != nil || !synced {
		return b, refusal, err
	}
	if b, _, err = c.Store.Board(ctx); err != nil {
		return nil, nil, err
	}
	return b, b.Opens(act, id, c.Caller, b.At()), nil
}

// Tidy removes what this clone has of tasks that became final or went to
// another attempt on another host: checkouts and branches. What only they hold
// is kept under refs/liza/rescue/. One that cannot be removed stays; the error
// tells of all.
func (c *Clone) Tidy(ctx context.Context) ([]Pruned, error) {
	if c.Trees == nil {
		return nil, nil
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return nil, err
	}
	// A review's checkout may just be made for a review that this board does not have yet.
	pruned, err := c.prune(ctx, b, func(k Checkout) bool { return k.Stale && (k.Submission == 0 || k.Status.Final()) })
	return pruned, errors.Join(err, c.unbranch(ctx, b))
}

// unbranch deletes the branches of final tasks.
func (c *Clone) unbranch(ctx context.Context, b *flow.Board) error {
	const prefix = "refs/heads/liza/"
	refs, err := c.Repo.Refs(ctx, prefix)
	if err != nil {
		return err
	}
	var failed []error
	for ref, tip := range refs {
		t := b.Task(flow.TaskID(strings.TrimPrefix(ref, prefix)))
		if t == nil || !t.Status.Final() || t.Attempts == 0 {
			continue
		}
		failed = append(failed, c.dropBranch(ctx, b, t, tip))
	}
	return errors.Join(failed...)
}

// dropBranch deletes a task's branch after its tip is kept.
func (c *Clone) dropBranch(ctx context.Context, b *flow.Board, t *flow.Task, tip flow.ObjectID) error {
	if _, err := c.keep(ctx, b, t.ID, tip, "branch "+t.ID.Branch()); err != nil {
		return err
	}
	return c.Repo.MoveRefs(ctx, []git.RefUpdate{{Name: "refs/heads/" + t.ID.Branch(), Old: tip}}, "liza: "+string(t.ID)+" went on elsewhere")
}

// yield makes room for an attempt that went on elsewhere: what this clone has
// of the task and does not contain the commit that the attempt goes on from is
// kept and put away.
func (c *Clone) yield(ctx context.Context, b *flow.Board, t *flow.Task) error {
	remote, err := c.Store.Authority(ctx)
	if err != nil || remote == "" {
		return err
	}
	if err := c.Store.Mirror.BringCommits(ctx, t.ID, t.Attempt.Start); err != nil {
		return err
	}
	tip, err := c.Repo.Resolve(ctx, "refs/heads/"+t.ID.Branch())
	if err != nil || tip == "" {
		return err
	}
	if goesOn, err := c.Repo.IsAncestor(ctx, t.Attempt.Start, tip); err != nil || goesOn {
		return err
	}
	name := t.ID.Folder(t.Attempt.Number)
	if _, err := c.prune(ctx, b, func(k Checkout) bool { return k.Name == name || k.Task == t.ID && k.Stale }); err != nil {
		return err
	}
	return c.dropBranch(ctx, b, t, tip)
}

// keep holds on to a commit under refs/liza/rescue/, unless it is behind
// integration or a ref that stays; ref is "" then.
func (c *Clone) keep(ctx context.Context, b *flow.Board, id flow.TaskID, commit flow.ObjectID, what string) (ref string, err error) {
	kept, err := c.kept(ctx, b, id, commit)
	if err != nil || kept {
		return "", err
	}
	ref = fmt.Sprintf("refs/liza/rescue/%s/%s", id, commit.Short())
	return ref, c.Repo.MoveRefs(ctx, []git.RefUpdate{{Name: ref, New: commit, Any: true}}, "liza: leftovers of "+what)
}
