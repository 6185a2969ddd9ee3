package worktrees

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
)

// takeContents copies what Git LFS has stored inside a checkout to the clone's store, where
// pushes look for it. The error is an *Obstacle if a file is not what its name says.
func (i *insides) takeContents(ctx context.Context, r record) error {
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
		to := filepath.Join(i.repo.Config.ContentStore(ctx), "objects", id[:2], id[2:4], id)
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
	_, err = io.Copy(io.MultiWriter(copied, sum), from)
	if err = cmp.Or(err, copied.Sync(), os.MkdirAll(filepath.Dir(to), 0o777)); err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != path.Base(name) {
		file, above := filepath.Join(root.Name(), name), filepath.Dir(root.Name())
		return &Obstacle{Path: file, Reason: "is damaged: it is not the content that Git LFS named it after",
			Hint: "rm -f " + shell.Quote(file) + " && git -C " + shell.Quote(above) + " add --renormalize ."}
	}
	return os.Rename(copied.Name(), to)
}
