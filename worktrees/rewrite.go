package worktrees

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// RewriteObjects writes the files of each work tree as objects again, where the
// repository has lost them: what was committed a moment ago stands there as it was.
// A work tree of which git cannot do that is left out.
func (k *Contents) RewriteObjects(ctx context.Context) error {
	err := k.registry.each(ctx, func(r record) error {
		err := k.rewriteObjects(ctx, r)
		if git.ExitCode(err) > 0 && ctx.Err() == nil {
			return nil
		}
		return err
	})
	if errors.Is(err, git.ErrBrokenRef) {
		return nil // files stay where they are, and so does what they say
	}
	return err
}

func (k *Contents) rewriteObjects(ctx context.Context, r record) error {
	dir, release, err := k.scratch.makeScratch()
	if err != nil {
		return err
	}
	defer release()
	// An index of its own knows no file yet, so that git reads each of them.
	x := index{r, filepath.Join(dir, "index"), release}
	options := []string{"-c", "core.safecrlf=false", "-c", "core.splitIndex=false", "-c", "advice.addEmbeddedRepo=false", "-c", "sparse.expectFilesOutsideOfPatterns=true"}
	_, err = k.isolation.run(ctx, r, git.Cmd{Env: x.env(), Limit: slow, Args: append(options, "read-tree", "HEAD")})
	which := "--update"
	staged, listErr := k.isolation.run(ctx, r, git.Cmd{Env: x.env(), Limit: slow, Args: []string{"ls-files", "--stage", "-z"}})
	var links []string
	for line := range strings.SplitSeq(string(staged), "\x00") {
		if fields, path, _ := strings.Cut(line, "\t"); strings.HasPrefix(fields, link+" ") {
			links = append(links, path)
		}
	}
	// Git would start another git in each submodule, with the configuration there.
	if err := cmp.Or(listErr, k.feedIndex(ctx, r, links, git.Cmd{Env: x.env()}, "--skip-worktree")); err != nil {
		return err
	}
	switch {
	case git.ExitCode(err) > 0:
		which = "--all" // git cannot read the tree: only the files say what was in it
	case err != nil:
		return err
	}
	if _, err = k.isolation.run(ctx, r, git.Cmd{Env: x.env(), Limit: slow, Args: append(options, "add", which, "--ignore-errors")}); err != nil {
		return err
	}
	_, err = k.isolation.run(ctx, r, git.Cmd{Env: x.env(), Limit: slow, Args: append(options, "write-tree")})
	return err
}

// MendIndexes reads HEAD into the index of each work tree that leads to objects which
// are lost: while it does, `git gc` and `git commit` fail. Files stay as they are.
func (k *Contents) MendIndexes(ctx context.Context) error {
	return k.registry.each(ctx, func(r record) error {
		_, err := k.isolation.run(ctx, r, git.Cmd{Limit: slow, Args: []string{"rev-list", "--objects", "--quiet", "--single-worktree", "--indexed-objects"}})
		if git.ExitCode(err) > 0 {
			_, err = k.isolation.run(ctx, r, git.Cmd{Limit: slow, Args: []string{"read-tree", "HEAD"}})
		}
		return err
	})
}
