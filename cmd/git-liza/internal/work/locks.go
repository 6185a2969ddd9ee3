package work

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// abandoned is the time without a change after which a lock may be cleared.
// git holds the lock of a ref for milliseconds, unless a hook is slow.
const abandoned = 5 * time.Second

// A Lock is a lock file of git that keeps moves from being made.
type Lock struct {
	Path string
	Age  time.Duration // never negative
	info fs.FileInfo
}

// Locks returns the lock files on the files that moves write: everything below
// refs/liza/ and refs/heads/liza/, integration, every HEAD, the packed refs and
// the configuration. A running transaction has some too.
func (d *Doctor) Locks(integration string) ([]Lock, error) {
	common := d.repo.CommonDir()
	paths := []string{"HEAD.lock", "packed-refs.lock", "config.lock", "config.worktree.lock", "shallow.lock", "reftable/tables.list.lock", "refs/heads/" + integration + ".lock"}
	for _, folder := range []string{layout.Refs, layout.TaskRefs} {
		err := filepath.WalkDir(filepath.Join(common, folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".lock") {
				paths = append(paths, strings.TrimPrefix(path, common+string(filepath.Separator)))
			}
			// git removes empty folders at any time, and beside reftables refs/heads is a file.
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				return nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"HEAD.lock", "config.worktree.lock", "reftable/tables.list.lock"} {
		trees, err := fs.Glob(os.DirFS(common), "worktrees/*/"+name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, trees...)
	}
	var locks []Lock
	for _, path := range paths {
		path = filepath.Join(common, path)
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			locks = append(locks, Lock{path, max(0, time.Since(info.ModTime())).Round(time.Second), info})
		}
	}
	return locks, nil
}

// Unlock clears the locks of dead processes: those of git liza, which the
// journal names, and then others that do not change for a few seconds. It calls
// say before it clears one of the others, and returns the locks that it
// cleared.
func (d *Doctor) Unlock(ctx context.Context, say func(Lock)) ([]Lock, error) {
	if err := d.repo.Journal.Recover(ctx); err != nil {
		return nil, err
	}
	integration := board.Branch{}
	if b, _, err := d.store.Board(ctx); err == nil {
		integration = b.Settings().Integration
	}
	locks, err := d.Locks(integration.Name)
	if err != nil {
		return nil, err
	}
	var cleared []Lock
	for _, lock := range locks {
		say(lock)
		gone, err := lock.clear(ctx)
		if err != nil {
			return cleared, err
		}
		if gone {
			cleared = append(cleared, lock)
		}
	}
	return cleared, nil
}

// clear waits until the lock counts as abandoned. It removes the lock if it
// is still the same file.
func (l Lock) clear(ctx context.Context) (bool, error) {
	if err := git.Wait(ctx, max(abandoned-l.Age, 0)); err != nil {
		return false, err
	}
	now, err := os.Lstat(l.Path)
	if err != nil || !os.SameFile(now, l.info) || !now.ModTime().Equal(l.info.ModTime()) {
		return false, nil
	}
	err = os.Remove(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
