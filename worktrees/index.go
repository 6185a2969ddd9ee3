package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
