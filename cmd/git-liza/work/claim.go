package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Claimed is what a claim won.
type Claimed struct {
	Task      flow.TaskID   `json:"task"`
	Status    flow.Status   `json:"status"`
	Worktree  string        `json:"worktree"`
	Branch    string        `json:"branch"`
	Base      flow.ObjectID `json:"base_commit"`
	Lease     time.Time     `json:"lease_expires"`
	Iteration int           `json:"iteration"`
	Warning   string        `json:"warning,omitempty"` // of the user's own post-checkout hook
}

// Claim takes a task, the best claimable one if id is "", and makes its
// worktree after the claim is won. Repeating it repairs a missing worktree.
// lease 0 means the board's. A claim that reaches the iteration limit is a
// *Setback.
func (c *Clone) Claim(ctx context.Context, id flow.TaskID, lease flow.Duration) (Claimed, gitstore.Result, error) {
	trees, err := c.checkouts()
	if err != nil {
		return Claimed{}, gitstore.Result{}, err
	}
	r, err := c.Store.Do(ctx, func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		target := id
		if target == "" {
			target = held(b, c.By)
		}
		if target == "" {
			best, err := c.best(b, flow.ActClaim, at)
			if err != nil {
				return flow.Move{}, nil, err
			}
			target = best
		}
		m, err := c.claim(ctx, b, at, &flow.ClaimMove{Lease: lease}, target)
		return m, nil, err
	})
	if err != nil {
		return Claimed{}, r, err
	}
	t := r.After.Task(r.Move.Task)
	claimed := Claimed{Task: t.ID, Status: t.Status, Branch: t.ID.Branch(), Base: t.Attempt.Base, Iteration: t.Attempt.Iteration}
	if err := blocked(r, t.ID, claimed); err != nil {
		return claimed, r, err
	}
	claimed.Lease = t.Claim.Lease
	claimed.Worktree = trees.Path(t.ID.Folder(t.Attempt.Number))
	if err := c.yield(ctx, r.After, t); err != nil {
		return claimed, r, unmade(r, claimed, err)
	}
	_, err = c.checkOut(ctx, trees, t)
	claimed.Warning, err = hookWarning(err)
	return claimed, r, unmade(r, claimed, err)
}

// best is the task that the actor should take; where there is no board, or
// one that cannot be read, that is what the caller hears, not that there is
// nothing to do.
func (c *Clone) best(b *flow.Board, act flow.Act, at time.Time) (flow.TaskID, error) {
	if b.Empty() {
		return "", gitstore.ErrNoBoard
	}
	id, refusal := b.Best(act, c.Caller, at, nil)
	if b.Err() != nil {
		return "", b.Err()
	}
	if refusal != nil {
		return "", refusal
	}
	return id, nil
}

// hookWarning turns the failure of a user's hook, beside a checkout that is
// complete, into a warning: it must not cost the claim.
func hookWarning(err error) (string, error) {
	var hook *worktrees.HookError
	if errors.As(err, &hook) {
		return hook.Error(), nil
	}
	return "", err
}

// held is the task that an agent has claimed already: a repeated command
// means that one.
func held(b *flow.Board, by flow.Actor) flow.TaskID {
	if a := b.Agent(by.Agent()); a != nil {
		return a.Task
	}
	return ""
}

// claim builds the move for the board it will be applied to.
func (c *Clone) claim(ctx context.Context, b *flow.Board, at time.Time, d *flow.ClaimMove, id flow.TaskID) (flow.Move, error) {
	if d.Lease == 0 {
		d.Lease = b.Settings().Config.Lease
	}
	replaces := b.Replaces(id, c.By)
	m := c.move(flow.ActClaim, id, d)
	t := b.Task(id)
	if t == nil || b.Opens(flow.ActClaim, id, c.Caller, at) != nil {
		return m, nil
	}
	if replaces {
		save, err := c.save(ctx, t)
		if err != nil && !errors.Is(err, worktrees.ErrIncomplete) {
			return m, err
		}
		d.Saved = save
	}
	if t.Attempt == nil || replaces {
		return m, c.unobstructed(ctx, t)
	}
	return m, nil
}

// unobstructed refuses a claim whose folder or branch is taken by something
// that is not ours, before anything is claimed.
func (c *Clone) unobstructed(ctx context.Context, t *flow.Task) error {
	name := t.ID.Folder(t.Attempts + 1)
	above := filepath.Dir(c.Trees.Path(name))
	if info, err := os.Stat(above); err == nil && !info.IsDir() {
		return obstacle(above, "is in the way and not a folder", nil)
	}
	if tree, found, err := c.Trees.Find(ctx, name); err != nil || found {
		return standing(c.Trees.Path(name), tree.Broken, err)
	}
	if entries, err := os.ReadDir(c.Trees.Path(name)); !errors.Is(err, fs.ErrNotExist) && (err != nil || len(entries) > 0) {
		return obstacle(c.Trees.Path(name), "is in the way and not a worktree of this repository", nil)
	}
	if t.Attempts > 0 {
		return nil
	}
	tip, err := c.Repo.Resolve(ctx, "refs/heads/"+t.ID.Branch())
	if err != nil || tip != "" {
		return obstacle(t.ID.Branch(), "exists already", err)
	}
	return nil
}

// standing is a worktree where another one is to be made. A whole one is moved
// by git, which knows where its files are.
func standing(path string, broken bool, err error) error {
	const reason = "is a worktree already"
	if err != nil || broken {
		return obstacle(path, reason, err)
	}
	return &worktrees.Obstacle{Path: path, Reason: reason, Hint: "git worktree move " + shell.Quote(path) + " " + shell.Quote(path+".old")}
}

func obstacle(what, reason string, err error) error {
	if err != nil {
		return err
	}
	hint := "mv " + shell.Quote(what) + " " + shell.Quote(what+".old")
	if !filepath.IsAbs(what) {
		hint = "git branch -m " + what + " " + strings.Replace(what, "/", "-", 1)
	}
	return &worktrees.Obstacle{Path: what, Reason: reason, Hint: hint}
}

// checkOut makes the claimed attempt's worktree, or finds it as it was left.
func (c *Clone) checkOut(ctx context.Context, trees *worktrees.Trees, t *flow.Task) (worktrees.Tree, error) {
	if err := trees.Ignore(); err != nil {
		return worktrees.Tree{}, err
	}
	a := t.Attempt
	name := t.ID.Folder(a.Number)
	if a.Number > 1 {
		if tree, found, err := trees.Find(ctx, name); err != nil || found && tree.Branch == t.ID.Branch() {
			return tree, err
		}
		old, err := c.Repo.Resolve(ctx, "refs/heads/"+t.ID.Branch())
		if err != nil {
			return worktrees.Tree{}, err
		}
		return trees.Restart(ctx, name, t.ID.Branch(), old, a.Start)
	}
	return trees.Branch(ctx, name, t.ID.Branch(), a.Start)
}

// Folder is the path of a claimed task's worktree, "" if the task was never
// claimed or the repository is bare.
func (c *Clone) Folder(t *flow.Task) string {
	if c.Trees == nil || t.Attempt == nil {
		return ""
	}
	return c.Trees.Path(t.ID.Folder(t.Attempt.Number))
}

// save keeps what this clone has of a task's attempt: the branch tip with
// uncommitted and untracked files on top. It is nil where there is nothing
// that is not kept already. With worktrees.ErrIncomplete the save is valid but
// leaves out what cannot be saved: that stays in its folder, see
// [worktrees.Trees.Retire].
func (c *Clone) save(ctx context.Context, t *flow.Task) (*flow.Save, error) {
	if t.Attempt == nil || c.Trees == nil {
		return nil, nil
	}
	tip, err := c.Repo.Resolve(ctx, "refs/heads/"+t.ID.Branch())
	if err != nil {
		return nil, err
	}
	tree, found, err := c.Trees.Find(ctx, t.ID.Folder(t.Attempt.Number))
	if err != nil {
		return nil, err
	}
	var incomplete error
	if found {
		tip, incomplete = c.Trees.Snapshot(ctx, tree.Path, fmt.Sprintf("Leftovers of %s, attempt %d", t.ID, t.Attempt.Number))
		if incomplete != nil && !errors.Is(incomplete, worktrees.ErrIncomplete) {
			return nil, incomplete
		}
	}
	kept, err := c.Repo.Resolve(ctx, flow.SavedRef(t.ID, t.Saves))
	if err != nil {
		return nil, err
	}
	if tip == "" || tip == kept || tip == t.Attempt.Start {
		return nil, incomplete
	}
	return &flow.Save{Number: t.Saves + 1, Commit: tip}, incomplete
}

// retire removes a checkout, and says where it keeps what could not be saved.
func (c *Clone) retire(ctx context.Context, name string) error {
	kept, err := c.Trees.Retire(ctx, name)
	if kept != "" && c.Repo.Notice != nil {
		c.Repo.Notice("what could not be saved of " + name + " is kept in " + git.Visible(kept))
	}
	return err
}

// clear removes a final task's worktrees and branch; what they held is saved.
// It can be repeated.
func (c *Clone) clear(ctx context.Context, t *flow.Task) error {
	if c.Trees == nil {
		return nil
	}
	for n := 1; n <= t.Attempts; n++ {
		if err := c.retire(ctx, t.ID.Folder(n)); err != nil {
			return err
		}
	}
	for n := 1; n <= t.Submissions; n++ {
		if err := c.retire(ctx, reviewFolder(t.ID, n)); err != nil {
			return err
		}
	}
	ref := "refs/heads/" + t.ID.Branch()
	tip, err := c.Repo.Resolve(ctx, ref)
	if err != nil || tip == "" || t.Attempts == 0 {
		return err
	}
	return c.Repo.MoveRefs(ctx, []git.RefUpdate{{Name: ref, Old: tip}}, "liza: "+string(t.ID)+" is "+t.Status.String())
}

// End makes a move that retires or restarts a task, with its attempt saved in
// the same transaction; detail gets the save, nil if there is nothing to keep.
// The checkouts of a task that became final are removed.
func (c *Clone) End(ctx context.Context, act flow.Act, id flow.TaskID, detail func(*flow.Board, *flow.Save) (flow.Detail, error)) (gitstore.Result, error) {
	r, err := c.Store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		var kept *flow.Save
		if t := b.Task(id); t != nil && !t.Status.Final() {
			var err error
			kept, err = c.save(ctx, t)
			if err != nil && !errors.Is(err, worktrees.ErrIncomplete) { // what is not in it stays in its folder
				return flow.Move{}, nil, err
			}
		}
		d, err := detail(b, kept)
		if err == nil {
			err = c.discreet(act, d)
		}
		if err != nil {
			return flow.Move{}, nil, err
		}
		return c.move(act, id, d), nil, nil
	})
	if err != nil {
		return r, err
	}
	if t := r.After.Task(id); t != nil && t.Status.Final() {
		return r, left(r, c.clear(ctx, t))
	}
	return r, nil
}
