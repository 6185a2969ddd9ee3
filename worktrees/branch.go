package worktrees

import (
	"context"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Branch checks branch, a short name such as "liza/task-1", out in .worktrees/<name>,
// and creates the branch at start if it does not exist. If start is an ancestor of its
// tip, an existing branch stays where it is. If its tip is an ancestor of start, the
// branch is moved to start, unless its checkout exists: the checkout still has,
// uncommitted, what start has more.
//
// A repeated call returns the checkout as it is. It restores a deleted folder as far as
// its content was staged or committed, and makes a checkout anew that a killed process
// left half-made. Errors: *Obstacle if something else is in the way; *HookError beside
// a Tree that is complete.
func (t *Trees) Branch(ctx context.Context, name, branch string, start ID) (Tree, error) {
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	return t.branch(ctx, name, branch, start)
}

func (t *Trees) branch(ctx context.Context, name, branch string, start ID) (Tree, error) {
	if err := t.Take(ctx, name); err != nil {
		return Tree{}, err
	}
	tip, err := t.repo.Refs.Resolve(ctx, "refs/heads/"+branch)
	if err != nil {
		return Tree{}, err
	}
	late, err := t.branches.checkTip(ctx, branch, tip, start)
	if err != nil {
		return Tree{}, err
	}
	if r, stands := t.standing(ctx, name, branch); stands && tip != "" {
		if err := t.insides.renew(ctx, &r); err != nil {
			return Tree{}, err
		}
		return t.treeOf(r), t.checkRoot()
	}
	records, err := t.records(ctx)
	if err != nil {
		return Tree{}, err
	}
	for _, r := range records {
		if r.name == name || !r.hasBranch(branch) {
			continue
		}
		if err := t.insides.take(ctx, &r); err != nil {
			return Tree{}, err
		}
		if r.hasBranch(branch) {
			return Tree{}, t.branches.branchObstacle(r, branch)
		}
	}
	if _, known := findRecord(records, name); late && !known {
		forward := git.RefUpdate{Name: "refs/heads/" + branch, Old: tip, New: start}
		if err := t.repo.Refs.MoveRefs(ctx, []git.RefUpdate{forward}, "git liza: branch "+branch); err != nil {
			return Tree{}, err
		}
	}
	return t.settleCheckout(ctx, records, checkout{name: name, branch: branch, commit: start, create: tip == "", hook: true})
}

// Restart checks branch out in .worktrees/<name>, a name not used before, and points it
// at start instead of old, which the caller has read and saved; old "" means that there
// was no branch. A checkout below .worktrees/ that has the branch is kept, with HEAD
// detached where it is.
//
// A repeated call finishes what was begun. Errors are those of Branch; also an
// *Obstacle if the branch is neither at old nor at start.
func (t *Trees) Restart(ctx context.Context, name, branch string, old, start ID) (Tree, error) {
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	if old != "" {
		if err := t.takeHolders(ctx, branch); err != nil {
			return Tree{}, err
		}
	}
	records, err := t.records(ctx)
	if err != nil {
		return Tree{}, err
	}
	if r, ok := findRecord(records, name); ok && r.hasBranch(branch) {
		return t.branch(ctx, name, branch, start)
	}
	if _, _, err := t.findExisting(ctx, records, checkout{name: name, branch: branch, create: old == ""}); err != nil {
		return Tree{}, err
	}
	if err := t.branches.moveBranch(ctx, records, branch, old, start); err != nil {
		return Tree{}, err
	}
	return t.branch(ctx, name, branch, start)
}

// Detached checks commit out in .worktrees/<name>, without a branch. It can be repeated
// like Branch. The error is an *Obstacle if the checkout is at another commit by now.
func (t *Trees) Detached(ctx context.Context, name string, commit ID) (Tree, error) {
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	if err := t.Take(ctx, name); err != nil {
		return Tree{}, err
	}
	records, err := t.records(ctx)
	if err != nil {
		return Tree{}, err
	}
	return t.settleCheckout(ctx, records, checkout{name: name, commit: commit, hook: true})
}

// Mend makes again what is gone of the checkout called name, or gave way to something else, as
// a repeated call does of what made it. It is no error if there is no such checkout.
func (t *Trees) Mend(ctx context.Context, name string) error {
	if !Missing(t.Path(name)) {
		return nil
	}
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	records, err := t.records(ctx)
	if r, known := findRecord(records, name); known && !r.hasNoHead() {
		_, err = t.settleCheckout(ctx, records, checkout{name: name, branch: r.branch, commit: r.head, hook: true})
	}
	return err
}

// Detach takes branch from the checkout called name and leaves HEAD where it is, or where
// it was if the branch is gone. It is no error if there is no such checkout, or it is not on
// the branch.
func (t *Trees) Detach(ctx context.Context, name, branch string) error {
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := t.Take(ctx, name); err != nil {
		return err
	}
	records, err := t.records(ctx)
	r, known := findRecord(records, name)
	if err != nil || !known || r.gone || r.alien {
		return err
	}
	at := r.head
	if at == "" {
		at = ID(t.Leftovers.loggedHead(ctx, r.gitDir))
	}
	if at == "" {
		return nil
	}
	return t.branches.detachHead(ctx, r, branch, at)
}

// TakeTip is Take, and returns where the task's branch is inside, "" if there is no such checkout.
func (t *Trees) TakeTip(ctx context.Context, name string) (tip ID, err error) {
	return tip, t.whole(ctx, name, func(ctx context.Context, r *record) error {
		if err := t.insides.take(ctx, r); err != nil {
			return err
		}
		f, err := t.insides.readFace(*r, taskBranch(r.name))
		tip = f.tip
		return err
	})
}
