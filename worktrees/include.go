package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// include copies what .worktreeinclude in the main work tree names into a new checkout: files that
// git ignores there, as files or links. What is there stays.
func (t *Trees) include(ctx context.Context, r record) error {
	list := filepath.Join(t.main, layout.Include)
	if info, err := os.Lstat(list); t.main == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	out, err := t.repo.Run(ctx, git.Cmd{Dir: t.main, WorkTree: true, Limit: slow,
		Args: append(git.Isolated(os.DevNull), "ls-files", "-z", "--others", "--ignored", "--exclude-from="+list)})
	if err != nil {
		return fmt.Errorf("%s: %w", layout.Include, err)
	}
	to, err := os.OpenRoot(r.path)
	if err != nil {
		return err
	}
	defer to.Close()
	// Git asks about no path beyond a link.
	free := slices.DeleteFunc(strings.Split(string(out), "\x00"), func(path string) bool {
		return path == "" || t.Below() != "" && isBelow(t.root, filepath.Join(t.main, path)) || !isFree(to, path)
	})
	out, err = t.isolation.run(ctx, r, git.Cmd{Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: pathList(free), Limit: slow})
	if git.ExitCode(err) == 1 {
		return nil // none is ignored
	}
	for _, path := range strings.Split(string(out), "\x00") {
		if path != "" && err == nil {
			err = copyInto(to, t.main, filepath.FromSlash(path))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", layout.Include, err)
	}
	return nil
}

// isFree reports whether nothing is at a path, and nothing but folders on the way.
func isFree(to *os.Root, path string) bool {
	for i := range path {
		if path[i] == '/' {
			if info, err := to.Lstat(path[:i]); err == nil && !info.IsDir() {
				return false
			}
		}
	}
	_, err := to.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// copyInto copies a file or a link. Neither side follows a link out of its folder.
func copyInto(to *os.Root, main, path string) error {
	from, err := os.OpenRoot(main)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Lstat(path)
	if err != nil || !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink {
		return nil // it went in the meantime, or is a socket
	}
	if err := to.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if target, err := from.Readlink(path); err == nil {
		return to.Symlink(target, path)
	}
	in, err := from.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
