package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Commit commits everything in the work tree at path, new files too, with the user's
// hooks and with env added to git's environment. It is no error if there is nothing to
// commit. The error is an *Obstacle for a repository of its own inside, which no commit
// can hold, a [*git.Locked] for an index that another git has locked, or a [*git.Error]
// if git or a hook refuses; what was added to the index stays there then.
func (k *Contents) Commit(ctx context.Context, path, message string, environ []string) error {
	r, err := k.recordAt(ctx, path)
	if err != nil {
		return err
	}
	status, err := k.readStatus(ctx, r)
	if err == nil && len(status.links) > 0 {
		// What was added as a link is looked at anew: its .git may be gone since.
		if err = k.feedIndex(ctx, r, status.links, git.Cmd{Environ: environ}, "--force-remove"); err == nil {
			status, err = k.readStatus(ctx, r)
		}
	}
	if err != nil || status.Clean() {
		return err
	}
	if nested := Nested(path, status); nested != nil {
		return nested
	}
	if err := k.updateIndex(ctx, r, status.Changed(), git.Cmd{Environ: environ}); err != nil {
		return err
	}
	_, err = k.isolation.runWithHooks(ctx, r, git.Cmd{Args: []string{"commit", "-q", "--cleanup=whitespace", "-F", "-"}, Stdin: []byte(message), Environ: environ, Limit: slow})
	if err != nil || !r.own {
		return err
	}
	if r, err = k.registry.recordAt(ctx, path); err != nil {
		return err
	}
	return k.insides.handDown(ctx, r)
}

// updateIndex records paths in the index as they are on disk. `git add` would do
// more than that: it looks into submodules, and takes repositories that are
// inside for new ones. Options and environment are those of c.
func (k *Contents) updateIndex(ctx context.Context, r record, paths []string, c git.Cmd) error {
	var gone, there []string
	for _, path := range paths {
		// What now lies behind a symbolic link is gone too; git would refuse to look.
		if !existsInTree(r, path) {
			gone = append(gone, path)
		} else {
			there = append(there, path)
		}
	}
	if err := k.feedIndex(ctx, r, gone, c, "--force-remove"); err != nil {
		return err
	}
	return k.feedIndex(ctx, r, there, c, "--add", "--replace")
}

// feedIndex has git do with paths in the index what options say.
func (k *Contents) feedIndex(ctx context.Context, r record, paths []string, c git.Cmd, options ...string) error {
	if len(paths) == 0 {
		return nil
	}
	c.Args = append(slices.Concat(c.Args, []string{"update-index"}, options), "-z", "--stdin")
	c.Stdin, c.Limit = pathList(paths), slow
	_, err := k.isolation.run(ctx, r, c)
	return err
}

// existsInTree reports whether a path of the work tree, without following symbolic
// links, leads to something that git can hold. A pipe or a device does not count.
func existsInTree(r record, path string) bool {
	for n := range path {
		if path[n] != '/' {
			continue
		}
		info, err := os.Lstat(filepath.Join(r.path, filepath.FromSlash(path[:n])))
		if err != nil || !info.IsDir() {
			return false
		}
	}
	info, err := os.Lstat(filepath.Join(r.path, filepath.FromSlash(path)))
	return err == nil && (info.Mode().IsRegular() || info.IsDir() || info.Mode()&os.ModeSymlink != 0)
}
