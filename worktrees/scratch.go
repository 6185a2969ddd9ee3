package worktrees

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// scratch makes files below liza/ that processes need while they live.
type scratch struct {
	common string // the shared git directory
}

// What a call makes under a name of its own belongs to a lock file below liza/, on
// which its process holds a kernel lock. If the file can be locked, the process is
// dead. The lock file is made before the rest and removed after it.

// holdName makes up a new name with a prefix and takes the lock of that name.
func (s *scratch) holdName(prefix string) (name string, release func(), err error) {
	name = prefix + strings.ToLower(rand.Text()[:12])
	release, err = s.hold(context.Background(), name)
	return name, release, err
}

// hold takes the lock of a name. It waits for a process that removes what the last holder
// left.
func (s *scratch) hold(ctx context.Context, name string) (release func(), err error) {
	for {
		f, err := git.OpenLock(s.common, name+".lock")
		if err == nil {
			err = git.AwaitLock(ctx, f)
		}
		if err != nil {
			return nil, fmt.Errorf("worktrees: %w", err)
		}
		// Another process may have taken it for a dead one's and removed it.
		if git.StillAt(f, f.Name()) {
			return func() {
				os.Remove(f.Name())
				f.Close()
			}, nil
		}
		f.Close()
	}
}

// sweepHeld calls drop for each name with a prefix whose holder is dead.
func (s *scratch) sweepHeld(prefix string, drop func(name string) error) (err error) {
	for _, path := range git.PathsIn(s.path(""), prefix, ".lock") {
		err = errors.Join(err, sweepName(path, drop))
	}
	return err
}

func sweepName(lock string, drop func(name string) error) error {
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	defer f.Close()
	if !git.LocksAt(f, lock) {
		return nil
	}
	if err := drop(strings.TrimSuffix(filepath.Base(lock), ".lock")); err != nil {
		return err
	}
	if err := os.Remove(lock); err != nil && !isAbsent(err) {
		return fmt.Errorf("worktrees: %w", err)
	}
	return nil
}

// scratchPrefix is the beginning of names of folders for files that are renamed into
// place.
const scratchPrefix = "scratch-"

// makeScratch makes a folder that nobody else uses, on the file system of the git
// directories; release removes it.
func (s *scratch) makeScratch() (dir string, release func(), err error) {
	name, free, err := s.holdName(scratchPrefix)
	if err != nil {
		return "", nil, err
	}
	dir = s.path(name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		free()
		return "", nil, fmt.Errorf("worktrees: %w", err)
	}
	return dir, func() {
		_ = removeAll(dir) // what is left without a lock is no obstacle
		free()
	}, nil
}

// replaceFile replaces a file as a whole: no reader sees a half of it.
func (s *scratch) replaceFile(path, content string) error {
	dir, release, err := s.makeScratch()
	if err != nil {
		return err
	}
	defer release()
	whole := filepath.Join(dir, "x")
	if err := os.WriteFile(whole, []byte(content), 0o666); err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	if err := os.Rename(whole, path); err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	return nil
}

// nameLocks are the locks on the names of checkouts, and on what only one process of
// this program may change at a time.
type nameLocks struct {
	common string // the shared git directory
}

// stripes is how many locks the names share: enough that checkouts of different names
// rarely wait for each other, few enough for their files to stay.
const stripes = 16

// lockStripe is the lock that a name shares with others.
func lockStripe(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%x", h.Sum32()%stripes)
}

// lock takes a kernel lock, which the kernel releases when its holder dies.
func (l *nameLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	unlock, err = git.HoldLock(ctx, l.common, "worktrees-"+key+".lock")
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("waiting for another process: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	return unlock, nil
}

func (s *scratch) path(name string) string { return filepath.Join(s.common, layout.Private, name) }
