package worktrees

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/gitstore"
)

// An index of our own beside the one of a work tree, because a split index
// names its other half in the same folder.
type index struct{ path string }

// privateIndex copies the index of a work tree, if it has one. Git replaces an
// index by renaming, so a copy is never half of one.
func (t *Trees) privateIndex(r record) (index, error) {
	f, err := os.CreateTemp(r.gitDir, "index.liza-*")
	if err != nil {
		return index{}, fmt.Errorf("worktree %s: %w", r.path, err)
	}
	x := index{f.Name()}
	from, err := gitstore.OpenRegular(filepath.Join(r.gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		f.Close()
		x.remove() // git takes an empty file for a damaged index
		return x, nil
	}
	if err == nil {
		_, err = io.Copy(f, from)
		from.Close()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		x.remove()
		return index{}, fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return x, nil
}

func (x index) env() []string { return []string{"GIT_INDEX_FILE=" + x.path} }

func (x index) remove() {
	os.Remove(x.path)
	os.Remove(x.path + ".lock")
}
