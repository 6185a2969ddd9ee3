package worktrees

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// undonePrefix is the beginning of the names of locks that a process holds while it makes or
// removes a checkout: what it is killed over has such a lock that nobody holds. So folder and
// entry may go, or come, in any order, and neither says of itself that it is not whole: an entry
// alone is one whose folder somebody moved away, and keeps its branch.
const undonePrefix = "undone-"

// lockName waits until no other process of this program makes or removes the checkout called
// name. What dead ones were making or removing is gone then, and an entry that was lost is there.
// It refuses names as checkName does.
func (t *Trees) lockName(ctx context.Context, name string) (unlock func(), err error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if unlock, err = t.locks.lock(ctx, lockStripe(name)); err != nil {
		return nil, err
	}
	_ = t.sweepUndone(ctx) // what stays of others is in the way of few
	if fileExists(t.scratch.path(undonePrefix + name + ".lock")) {
		err = t.discardCheckout(ctx, name)
	}
	if err == nil {
		err = t.remakeEntry(ctx, name)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// sweepUndone removes the checkouts that dead processes were making or removing.
func (g *registry) sweepUndone(ctx context.Context) error {
	return g.scratch.sweepHeld(undonePrefix, func(lock string) error {
		return g.discardHeld(ctx, strings.TrimPrefix(lock, undonePrefix))
	})
}

// discardCheckout removes the checkout called name with git's registration of it.
func (g *registry) discardCheckout(ctx context.Context, name string) error {
	release, err := g.scratch.hold(ctx, undonePrefix+name)
	if err != nil {
		return err
	}
	defer release()
	return g.discardHeld(ctx, name)
}

// discardHeld is discardCheckout for who holds the lock. It renames before it deletes, so that
// nothing half removed is there under its name. Files that cannot be deleted, for example
// because a process still writes, are left for the next Clear. A folder of somebody else's
// stays.
func (g *registry) discardHeld(ctx context.Context, name string) error {
	records, err := g.records(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	r, known := findRecord(records, name)
	if !known {
		return nil
	}
	gone := filepath.Join(filepath.Dir(r.path), gonePrefix+rand.Text())
	if !r.alien {
		if err := os.Rename(r.path, gone); err != nil && !isAbsent(err) {
			return fmt.Errorf("removing %s: %w", r.path, err)
		}
	}
	dir, release, err := g.scratch.makeScratch()
	if err != nil {
		return err
	}
	defer release()
	if err := os.Rename(r.gitDir, filepath.Join(dir, "x")); err != nil && !isAbsent(err) {
		return fmt.Errorf("removing %s: %w", r.gitDir, err)
	}
	_ = removeAll(gone)
	return g.dropPin(ctx, r)
}

// followMove mends the links of checkouts, and what they name of the clone, if that was moved since
// one was made. In a copied repository the links lead to the original, and it does not change them.
func (g *registry) followMove() error {
	if g.from == "" {
		return nil
	}
	for _, folder := range git.PathsIn(resolveLinks(g.root), "", "") {
		inside := filepath.Join(folder, ".git")
		entry, err := git.EntryOf(g.common, inside)
		if err != nil || !isInside(folder, g.common) {
			continue
		}
		if err := cmp.Or(followClone(inside, g.from, base(g.repo)), g.scratch.replaceFile(filepath.Join(entry, "gitdir"), inside+"\n")); err != nil {
			return err
		}
	}
	return g.writeNote()
}

// followClone has what the repository inside a checkout names in one folder be named in another.
func followClone(inside, was, now string) error {
	root, err := os.OpenRoot(inside)
	if err != nil {
		return err
	}
	defer root.Close()
	paths := strings.NewReplacer(was+"/", now+"/", was+`"`, now+`"`)
	return fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, _ error) error {
		if kind := path.Base(name); kind != "config" && kind != "alternates" && path.Dir(name) != "hooks" {
			return nil
		}
		info, infoErr := root.Lstat(name)
		old, err := readIn(root, name)
		text := paths.Replace(old)
		if infoErr != nil || err != nil || text == old {
			return nil
		}
		return writeIn(root, name, []byte(text+"\n"), info.Mode())
	})
}

// checkOwn refuses a folder that belongs to another repository.
func (g *registry) checkOwn(r record) error {
	info, err := os.Lstat(r.path)
	o := &Obstacle{Path: g.pathOf(r), Hint: "mv " + shell.Quote(g.pathOf(r)) + " " + shell.Quote(g.pathOf(r)+".old")}
	switch {
	case r.gone && err == nil && !info.IsDir():
		o.Reason = "is in the way and not a folder"
	case !r.gone && r.alien:
		o.Reason = "is in the way, it belongs to another repository"
	default:
		return nil
	}
	return o
}
