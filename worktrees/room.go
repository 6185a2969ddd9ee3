package worktrees

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Root is the folder of the checkouts.
func (g *registry) Root() string { return g.root }

// CheckRoom says why no checkout could be made here, whatever its name. It changes
// nothing. The error is an *Obstacle if something else is where the folder of the
// checkouts has to be.
func (g *registry) CheckRoom() error {
	if err := g.checkRoot(); err != nil {
		return err
	}
	for _, dir := range []string{g.root, filepath.Join(g.common, "worktrees")} {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			dir = filepath.Dir(dir) // it will be made there
		}
		if err := unix.Access(dir, unix.W_OK); err != nil {
			return &fs.PathError{Op: "write", Path: dir, Err: err}
		}
	}
	return nil
}

// checkRoot refuses something else in the place of the folder of the checkouts.
func (g *registry) checkRoot() error {
	if info, err := os.Stat(g.root); err == nil && !info.IsDir() {
		return &Obstacle{Path: g.root, Reason: "is not a folder"}
	}
	return nil
}
