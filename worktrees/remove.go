package worktrees

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Remove removes the checkout called name with everything in it, staged or not: the
// caller has taken a Snapshot. It is no error if there is none. The error is an
// *Obstacle if the folder is not a worktree of this repository or is locked by another
// program or a user.
func (t *Trees) Remove(ctx context.Context, name string) error {
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := t.findRemovable(ctx, name)
	if err != nil || r.gitDir == "" {
		return err
	}
	if err := t.checkOwn(r); err != nil {
		return err
	}
	return t.discardCheckout(ctx, name)
}

// findRemovable is the record of a checkout that may go, the zero value if there is
// none.
func (t *Trees) findRemovable(ctx context.Context, name string) (record, error) {
	records, err := t.records(ctx)
	if err != nil {
		return record{}, err
	}
	r, known := findRecord(records, name)
	if !known {
		return record{}, checkFree(t.Path(name))
	}
	if r.locked != "" && !isOurReason(r.locked) {
		return record{}, &Obstacle{Path: t.Path(name), Reason: "is locked: " + r.locked,
			Hint: "git worktree unlock " + shell.Quote(t.Path(name))}
	}
	return r, nil
}

// Retire removes the checkout called name like Remove, unless it holds something that
// no snapshot holds. Then the whole folder is renamed beside its place, and kept is
// its new path; a ref keeps what was brought from it. The same happens if an agent has replaced its .git. isUnused is asked when
// nobody else can make or take over the checkout; if it says no, all stays.
func (t *Trees) Retire(ctx context.Context, name string, never Never, isUnused func() (bool, error)) (kept string, err error) {
	unlock, err := t.lockName(ctx, name)
	if err != nil {
		return "", err
	}
	defer unlock()
	if unused, err := isUnused(); err != nil || !unused {
		return "", err
	}
	r, err := t.findRemovable(ctx, name)
	if err != nil || r.gitDir == "" {
		return "", err
	}
	if !r.alien {
		if err := t.checkOwn(r); err != nil {
			return "", err
		}
		whole, err := t.isSavable(ctx, r, never)
		if err != nil {
			return "", err
		}
		if whole {
			return "", t.discardCheckout(ctx, name)
		}
	}
	// The folder is renamed before the checkout is removed, because a process that finds a
	// checkout half removed deletes the folder.
	kept, err = t.setAside(name, r.path)
	if err != nil {
		return "", err
	}
	pin, err := t.repo.Refs.Resolve(ctx, r.pin())
	if pin != "" && kept != "" { // git inside may have dropped its own objects where the clone has them
		rescue := git.RefUpdate{Name: layout.RescueRefs + strings.TrimPrefix(filepath.Base(kept), "."), New: pin}
		err = t.repo.Refs.MoveRefs(ctx, []git.RefUpdate{rescue}, "git liza: kept of "+name)
	}
	if err != nil {
		return kept, err
	}
	return kept, t.discardCheckout(ctx, name)
}

// keptPrefix is the beginning of names of folders below .worktrees/ with content that
// no snapshot of a checkout could hold.
const keptPrefix = ".kept-"

// setAside renames a folder of the checkout called name to one that stays. Where there is none, or
// nothing in it, kept is "".
func (g *registry) setAside(name, path string) (kept string, err error) {
	entries, listErr := os.ReadDir(path)
	if info, err := os.Lstat(path); isAbsent(err) || listErr == nil && len(entries) == 0 || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return "", nil
	}
	kept = filepath.Join(resolveLinks(g.root), keptPrefix+name+"-"+rand.Text()[:8])
	if err := os.Rename(path, kept); err != nil {
		return "", fmt.Errorf("keeping %s: %w", path, err)
	}
	return kept, nil
}

// isSavable reports whether a snapshot of a checkout holds all that git does not
// ignore and the set-up has not left. It is false where that cannot be found out.
func (t *Trees) isSavable(ctx context.Context, r record, never Never) (bool, error) {
	if r.gone {
		return !fileExists(r.inside()), nil
	}
	if more, err := t.insides.holdsMore(ctx, r); err != nil || more {
		return false, err
	}
	if at := t.insides.agreed(r); r.head == "" && at != "" { // the branch is gone already, and all would be new
		if err := t.branches.detachHead(ctx, r, r.branch, at); err != nil {
			return false, err
		}
	}
	_, paths, left, err := t.Contents.readSavable(ctx, r, never)
	left = t.insides.saveSubmodules(ctx, r, left)
	if err == nil && len(left) == 0 && len(paths) > 0 {
		_, err = t.Contents.writeSnapshot(ctx, r, paths, nil, "") // the user's own filters may fail too
	}
	return err == nil && len(left) == 0, ctx.Err()
}

// gonePrefix is the beginning of names of folders below .worktrees/ that were
// checkouts.
const gonePrefix = ".gone-"

// removeAll removes a folder, and folders inside that were made read-only too, as
// caches of some build tools are.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// Sweep removes what Leftovers.Clear removes, and the pins of checkouts that are gone.
func (t *Trees) Sweep(ctx context.Context) error {
	return errors.Join(t.Leftovers.Clear(ctx), t.dropPins(ctx))
}
