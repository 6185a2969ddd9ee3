package worktrees

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// takeContents copies what Git LFS has stored inside a checkout to the clone's store, where
// pushes look for it. A file that is not what its name says is left.
func (i *insides) takeContents(r record) error {
	root, err := os.OpenRoot(r.inside())
	if err != nil {
		return nil
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), "lfs/objects", func(name string, entry fs.DirEntry, err error) error {
		id := path.Base(name)
		if err != nil || !entry.Type().IsRegular() || len(id) != 2*sha256.Size || strings.Trim(id, "0123456789abcdef") != "" {
			return nil
		}
		to := filepath.Join(i.registry.common, "lfs", "objects", id[:2], id[2:4], id)
		if fileExists(to) {
			return nil
		}
		return i.copyContent(root, name, to)
	})
}

// copyContent copies a file whose name is the sum of its content.
func (i *insides) copyContent(root *os.Root, name, to string) error {
	from, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer from.Close()
	dir, release, err := i.scratch.makeScratch()
	if err != nil {
		return err
	}
	defer release()
	copied, err := os.Create(filepath.Join(dir, "content"))
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	defer copied.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(copied, sum), from); err != nil || hex.EncodeToString(sum.Sum(nil)) != path.Base(name) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	return os.Rename(copied.Name(), to)
}
