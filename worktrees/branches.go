package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// branches creates and moves the branches of checkouts.
type branches struct {
	repo     *git.Repo
	registry *registry
	scratch  *scratch
	insides  *insides
}

// branchObstacle says which work tree has a branch checked out, and how the branch
// gets free.
func (b *branches) branchObstacle(r record, branch string) *Obstacle {
	o := &Obstacle{Branch: branch, Reason: "is checked out in " + b.registry.pathOf(r)}
	switch {
	case r.alien:
		o.Reason += ", which belongs to another repository"
		o.Hint = "rm -r " + shell.Quote(r.gitDir)
	case r.gone:
		o.Reason += ", which is gone"
		o.Hint = "git worktree prune"
		if r.locked != "" {
			o.Hint = "git worktree unlock " + shell.Quote(b.registry.pathOf(r)) + " && " + o.Hint
		}
	default:
		o.Hint = "git -C " + shell.Quote(b.registry.pathOf(r)) + " checkout --detach"
	}
	return o
}

// checkTip refuses a branch whose tip is neither an ancestor nor a descendant of start;
// late says that the tip is an ancestor.
func (b *branches) checkTip(ctx context.Context, branch string, tip, start ID) (late bool, err error) {
	if tip == "" || tip == start {
		return false, nil
	}
	ours, err := b.repo.IsAncestor(ctx, start, tip)
	if err != nil || ours {
		return false, err
	}
	late, err = b.repo.IsAncestor(ctx, tip, start)
	if err == nil && !late {
		err = &Obstacle{Branch: branch,
			Reason: fmt.Sprintf("exists at %s, which does not come from %s", tip.Short(), start.Short()),
			Hint:   RenameHint(branch)}
	}
	return late, err
}

// createBranch makes the branch at start, or finds that it was just made.
func (b *branches) createBranch(ctx context.Context, branch string, start ID) error {
	ref := "refs/heads/" + branch
	err := b.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: ref, New: start}}, "git liza: branch "+branch)
	if err == nil {
		return nil
	}
	if errors.Is(err, git.ErrRefMoved) {
		tip, resolveErr := b.repo.Refs.Resolve(ctx, ref)
		if resolveErr != nil || tip == "" {
			return err
		}
		_, err := b.checkTip(ctx, branch, tip, start)
		return err
	}
	return cmp.Or(FindClash(ctx, b.repo, branch), err)
}

// RenameHint is the command that gives a branch that is in the way another name.
func RenameHint(branch string) string {
	free := strings.Replace(branch, "/", "-", 1)
	if free == branch {
		free += "-old"
	}
	return "git branch -m " + shell.Quote(branch) + " " + shell.Quote(free)
}

// FindClash is an *[Obstacle] if there is a branch of which the name of branch is a folder, or
// the other way round.
func FindClash(ctx context.Context, repo *git.Repo, branch string) error {
	clash := func(other string) error {
		return &Obstacle{Branch: other, Reason: "exists, so git cannot make a branch " + branch, Hint: RenameHint(other)}
	}
	for i, c := range branch {
		if c != '/' {
			continue
		}
		if id, err := repo.Refs.Resolve(ctx, "refs/heads/"+branch[:i]); err == nil && id != "" {
			return clash(branch[:i])
		}
	}
	if below, _ := repo.Refs.List(ctx, "refs/heads/"+branch+"/"); len(below) > 0 {
		return clash(strings.TrimPrefix(slices.Min(slices.Collect(maps.Keys(below))), "refs/heads/"))
	}
	return nil
}

// moveBranch moves a branch, after it has detached the work trees that have it checked
// out.
func (b *branches) moveBranch(ctx context.Context, records []record, branch string, old, start ID) error {
	ref := "refs/heads/" + branch
	tip, err := b.repo.Refs.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	if tip != old && tip != start {
		return &Obstacle{Branch: branch, Reason: fmt.Sprintf("is at %s, no longer at %s", git.ShortOrNone(tip), git.ShortOrNone(old))}
	}
	for _, r := range records {
		if r.name == "" && r.hasBranch(branch) {
			return b.branchObstacle(r, branch)
		}
	}
	for _, r := range records {
		if err := b.detachHead(ctx, r, branch, cmp.Or(tip, start)); err != nil {
			return err
		}
	}
	if tip == start || tip == "" {
		return nil
	}
	return b.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: ref, Old: tip, New: start}}, "git liza: restart "+branch)
}

// detachHead takes the branch from a checkout and leaves HEAD at its commit, which keeps
// the old commits. A process that still works in the checkout moves no branch then.
func (b *branches) detachHead(ctx context.Context, r record, branch string, at ID) error {
	for file, detached := range unfinished {
		if !r.inMiddleOf(file, branch) {
			continue
		}
		detached = cmp.Or(detached, string(r.head)+"\n")
		if err := b.scratch.replaceFile(filepath.Join(r.stateDir(), filepath.FromSlash(file)), detached); err != nil {
			return fmt.Errorf("worktrees: detaching %s: %w", r.path, err)
		}
	}
	if r.branch != branch && (r.branch != "" || r.head == "" || !r.own) {
		return nil
	}
	unlock, err := b.insides.lock(ctx, r) // whoever takes over meanwhile would attach it again
	if err != nil {
		return err
	}
	defer unlock()
	if r.branch == branch {
		if err := b.repo.Refs.DetachHead(ctx, r.gitDir, r.head, at, "git liza: detached from "+branch); err != nil || !r.own {
			return err
		}
		r.branch, r.head = "", at
	}
	if f, err := b.insides.readFace(r, branch); err != nil || f.branch != branch {
		return err
	}
	return b.insides.handDownHead(r, nil)
}
