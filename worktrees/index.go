package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An index is a private index file. A split index names its other half in the git
// directory, whatever folder the index itself is in.
type index struct {
	record record // of its work tree
	path   string
	remove func()
}

// privateIndex copies the index of a work tree, if it has one. Git replaces an index by
// renaming, so a copy is always whole.
func (s *scratch) privateIndex(r record) (index, error) {
	dir, release, err := s.makeScratch()
	if err != nil {
		return index{}, err
	}
	x := index{r, filepath.Join(dir, "index"), release}
	// Git would take an empty file for a damaged index.
	if err := copyIfThere(x.path, filepath.Join(r.gitDir, "index")); err != nil {
		release()
		return index{}, r.fault(err)
	}
	return x, nil
}

// copyIfThere writes a new file like one that is there.
func copyIfThere(to, from string) error {
	in, err := git.OpenRegular(from)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || info.Size() > largest {
		return fmt.Errorf("%s is larger than a gigabyte", from)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)
	return errors.Join(err, out.Close())
}

// runOnInner runs git on a private copy of the index inside a checkout, which may hold anything.
func (i *insides) runOnInner(ctx context.Context, r record, args ...string) (out, after []byte, err error) {
	at := r
	at.gitDir = r.inside()
	x, err := i.scratch.privateIndex(at)
	if err != nil {
		return nil, nil, err
	}
	defer x.remove()
	if out, err = i.isolation.run(ctx, r, git.Cmd{Args: args, Env: x.env(), Limit: slow}); err == nil {
		after, err = os.ReadFile(x.path)
	}
	return out, after, err
}

func (x index) env() []string { return []string{"GIT_INDEX_FILE=" + x.path} }

// install renames the index into the place of the work tree's own.
func (x index) install() error {
	return x.record.fault(os.Rename(x.path, filepath.Join(x.record.gitDir, "index")))
}

// patience is how long another git may hold the lock on an index.
const patience = 5 * time.Second

// lockText is the content of an index.lock of this package, which distinguishes it from
// git's.
const lockText = "git liza follows a branch here\n"

// lockIndex takes git's lock on a work tree's index. It locks the file with the kernel
// too, so that the lock of a dead process is recognized and removed.
func (s *scratch) lockIndex(ctx context.Context, r record) (unlock func(), err error) {
	path := filepath.Join(r.gitDir, "index.lock")
	for deadline := time.Now().Add(patience); ; {
		f, err := s.linkLock(path)
		if err == nil {
			return func() {
				os.Remove(path)
				f.Close()
			}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, r.fault(err)
		}
		if clearDead(path) {
			continue
		}
		held := heldLock(path)
		if time.Now().After(deadline) {
			return nil, held
		}
		if err := git.Wait(ctx, 20*time.Millisecond); err != nil {
			return nil, errors.Join(held, err)
		}
	}
}

// heldLock is the obstacle of a lock of git's that stays.
func heldLock(path string) *Obstacle {
	return &Obstacle{Path: path, Reason: "is held by another git, or was left by one that died", Hint: "rm " + shell.Quote(path)}
}

// linkLock links a complete and locked file to path, which must not exist.
func (s *scratch) linkLock(path string) (*os.File, error) {
	dir, release, err := s.makeScratch()
	if err != nil {
		return nil, err
	}
	defer release()
	f, err := os.Create(filepath.Join(dir, "x"))
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(lockText)
	if err == nil {
		err = git.TryLock(f)
	}
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// clearDead removes a lock of this package whose process is dead.
func clearDead(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	text := make([]byte, len(lockText)+1)
	n, _ := f.Read(text)
	return string(text[:n]) == lockText && git.LocksAt(f, path) && os.Remove(path) == nil
}
