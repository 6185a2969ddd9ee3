package worktrees

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
		return index{}, fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return x, nil
}

// copyTo writes a new file from one that is open, and closes both.
func copyTo(path string, from *os.File) error {
	defer from.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

func (x index) env() []string { return []string{"GIT_INDEX_FILE=" + x.path} }

// install renames the index into the place of the work tree's own.
func (x index) install() error {
	if err := os.Rename(x.path, filepath.Join(x.record.gitDir, "index")); err != nil {
		return fmt.Errorf("worktree %s: %w", x.record.path, err)
	}
	return nil
}
