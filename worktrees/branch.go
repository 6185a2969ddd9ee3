package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Branch checks branch, a short name such as "liza/task-1", out in
// .worktrees/<name>, and creates the branch at start if there is none.
// An existing branch is taken as it is if start is behind its tip. One that is
// itself behind start is moved there, unless the checkout stands: what start
// has more was not committed in it when it was saved, and is in it still.
//
// Repeating it returns the checkout as it is, restores a folder that was
// deleted, as far as it was staged or committed, and makes one anew that a
// killed process left half-made. Errors: *Obstacle if something else is in
// the way; *HookError beside a Tree that is complete.
func (t *Trees) Branch(ctx context.Context, name, branch string, start ID) (Tree, error) {
	if err := checkName(name); err != nil {
		return Tree{}, err
	}
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	return t.branch(ctx, name, branch, start)
}

func (t *Trees) branch(ctx context.Context, name, branch string, start ID) (Tree, error) {
	tip, err := t.repo.Resolve(ctx, "refs/heads/"+branch)
	if err != nil {
		return Tree{}, err
	}
	late, err := t.checkTip(ctx, branch, tip, start)
	if err != nil {
		return Tree{}, err
	}
	records, err := t.unmade(ctx, name, branch)
	if err != nil {
		return Tree{}, err
	}
	for _, r := range records {
		if r.name != name && r.has(branch) {
			return Tree{}, t.taken(r, branch)
		}
	}
	if r, known := named(records, name); late && (!known || r.half) {
		forward := git.RefUpdate{Name: "refs/heads/" + branch, Old: tip, New: start}
		if err := t.repo.MoveRefs(ctx, []git.RefUpdate{forward}, "git liza: branch "+branch); err != nil {
			return Tree{}, err
		}
	}
	return t.settle(ctx, records, checkout{name: name, branch: branch, commit: start, create: tip == "", hook: true})
}

// unmade are the records, without half-made checkouts of the branch under other
// names.
func (t *Trees) unmade(ctx context.Context, name, branch string) ([]record, error) {
	records, err := t.reunited(ctx)
	if err != nil {
		return nil, err
	}
	return t.freed(ctx, records, name, branch)
}

// taken says who has a branch, and how it gets free.
func (t *Trees) taken(r record, branch string) *Obstacle {
	o := &Obstacle{Branch: branch, Reason: "is checked out in " + r.place(t)}
	switch {
	case r.alien:
		o.Reason += ", which belongs to another repository"
		o.Hint = "rm -r " + shell.Quote(r.gitDir)
	case r.gone:
		o.Reason += ", which is gone"
		o.Hint = "git worktree prune"
	default:
		o.Hint = "git -C " + shell.Quote(r.place(t)) + " checkout --detach"
	}
	return o
}

// checkTip refuses a branch that neither comes from start nor leads to it; late
// says that it leads there.
func (t *Trees) checkTip(ctx context.Context, branch string, tip, start ID) (late bool, err error) {
	if tip == "" || tip == start {
		return false, nil
	}
	ours, err := t.repo.IsAncestor(ctx, start, tip)
	if err != nil || ours {
		return false, err
	}
	late, err = t.repo.IsAncestor(ctx, tip, start)
	if err == nil && !late {
		err = &Obstacle{Branch: branch,
			Reason: fmt.Sprintf("exists at %s, which does not come from %s", tip.Short(), start.Short()),
			Hint:   "git branch -m " + shell.Quote(branch) + " NEW-NAME"}
	}
	return late, err
}

// createBranch makes the branch at start, or finds that it was just made.
func (t *Trees) createBranch(ctx context.Context, branch string, start ID) error {
	ref := "refs/heads/" + branch
	err := t.repo.MoveRefs(ctx, []git.RefUpdate{{Name: ref, New: start}}, "git liza: branch "+branch)
	if err == nil {
		return nil
	}
	if errors.Is(err, git.ErrRefMoved) {
		tip, resolveErr := t.repo.Resolve(ctx, ref)
		if resolveErr != nil || tip == "" {
			return err
		}
		_, err := t.checkTip(ctx, branch, tip, start)
		return err
	}
	if other := t.clash(ctx, branch); other != "" {
		return &Obstacle{Branch: other, Reason: "exists, so git cannot make a branch " + branch,
			Hint: "git branch -m " + shell.Quote(other) + " NEW-NAME"}
	}
	return err
}

// clash finds a branch that is a folder of branch's name, or the other way.
func (t *Trees) clash(ctx context.Context, branch string) string {
	parts := strings.Split(branch, "/")
	for n := 1; n < len(parts); n++ {
		above := strings.Join(parts[:n], "/")
		if id, err := t.repo.Resolve(ctx, "refs/heads/"+above); err == nil && id != "" {
			return above
		}
	}
	below, err := t.repo.Refs(ctx, "refs/heads/"+branch+"/")
	if err != nil {
		return ""
	}
	for ref := range below {
		return strings.TrimPrefix(ref, "refs/heads/")
	}
	return ""
}

// Restart checks branch out in .worktrees/<name>, a name not used before, and
// makes it point at start instead of old, which the caller has seen and saved;
// old "" says that there was no branch. A checkout below .worktrees/ that has
// the branch is kept, with HEAD detached where it is.
//
// Repeating it finishes what was begun. Errors are those of Branch; an
// *Obstacle also if the branch is neither at old nor at start.
func (t *Trees) Restart(ctx context.Context, name, branch string, old, start ID) (Tree, error) {
	if err := checkName(name); err != nil {
		return Tree{}, err
	}
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	records, err := t.unmade(ctx, name, branch)
	if err != nil {
		return Tree{}, err
	}
	if r, ok := named(records, name); ok && !r.half && r.has(branch) {
		return t.branch(ctx, name, branch, start)
	}
	if _, err := t.standing(records, checkout{name: name, branch: branch, create: old == ""}); err != nil {
		return Tree{}, err
	}
	if err := t.vacate(ctx, records, branch, old, start); err != nil {
		return Tree{}, err
	}
	return t.branch(ctx, name, branch, start)
}

// vacate takes the branch away from whoever has it checked out and moves it.
func (t *Trees) vacate(ctx context.Context, records []record, branch string, old, start ID) error {
	ref := "refs/heads/" + branch
	tip, err := t.repo.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	if tip != old && tip != start {
		return &Obstacle{Branch: branch, Reason: fmt.Sprintf("is at %s, no longer at %s", orNone(tip), orNone(old))}
	}
	for _, r := range records {
		if r.name == "" && r.has(branch) {
			return t.taken(r, branch)
		}
	}
	for _, r := range records {
		if r.half {
			continue // under the name that is made now
		}
		if err := t.detach(ctx, r, branch, cmp.Or(tip, start)); err != nil {
			return err
		}
	}
	if tip == start || tip == "" {
		return nil
	}
	return t.repo.MoveRefs(ctx, []git.RefUpdate{{Name: ref, Old: tip, New: start}}, "git liza: restart "+branch)
}

// detach leaves a checkout where it is, without the branch. Its HEAD then
// keeps the old commits, and whoever still works in it moves nothing else.
func (t *Trees) detach(ctx context.Context, r record, branch string, at ID) error {
	for file, detached := range unfinished {
		if !r.inMiddleOf(file, branch) {
			continue
		}
		if detached == "" {
			detached = string(r.head) + "\n"
		}
		if err := t.replace(filepath.Join(r.gitDir, filepath.FromSlash(file)), detached); err != nil {
			return fmt.Errorf("worktrees: detaching %s: %w", r.path, err)
		}
	}
	if r.branch != branch {
		return nil
	}
	return t.repo.DetachHead(ctx, r.gitDir, r.head, at, "git liza: detached from "+branch)
}

// Detached checks commit out in .worktrees/<name>, without a branch. It can be
// repeated like Branch; an *Obstacle if the checkout is at another commit by
// now.
func (t *Trees) Detached(ctx context.Context, name string, commit ID) (Tree, error) {
	if err := checkName(name); err != nil {
		return Tree{}, err
	}
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	records, err := t.reunited(ctx)
	if err != nil {
		return Tree{}, err
	}
	return t.settle(ctx, records, checkout{name: name, commit: commit, hook: true})
}

func orNone(id ID) string {
	if id == "" {
		return "none"
	}
	return id.Short()
}
