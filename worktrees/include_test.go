package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInclude(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	outside := filepath.Join(t.TempDir(), "outside")
	p.write(".gitignore", ".env\n*.key\nnode_modules\nunnamed\nfifo\n")
	p.write(".worktreeinclude", "# secrets\n.env\n*.key\n!no.key\n/node_modules/\nseen\nfifo\n/.worktrees/\n")
	p.base = p.commitAll(p.dir, "ignore")
	p.write(".env", "secret")
	require.NoError(t, os.Chmod(filepath.Join(p.dir, ".env"), 0o600))
	for _, name := range []string{"b/a.key", "no.key", "node_modules/x/index.js", "unnamed", "seen", "deep/er/c.key"} {
		p.write(name, name)
	}
	require.NoError(t, os.Symlink(outside, filepath.Join(p.dir, "node_modules/link")))
	require.NoError(t, os.MkdirAll(filepath.Join(p.dir, ".worktrees/.kept-t/"), 0o777))
	p.write(".worktrees/.kept-t/old.key", "old")
	p.git("init", "-q", "node_modules/inner")
	p.write("node_modules/inner/file", "x")

	tree, err := p.Branch(ctx, "t", "t", p.base)
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(tree.Path, name) }
	require.Equal(t, "secret", content(t, tree.Path, ".env"))
	info, err := os.Stat(at(".env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for _, name := range []string{"b/a.key", "node_modules/x/index.js", "deep/er/c.key"} {
		require.Equal(t, name, content(t, tree.Path, name))
	}
	target, err := os.Readlink(at("node_modules/link"))
	require.NoError(t, err)
	require.Equal(t, outside, target, "a link stays one")
	for _, name := range []string{"no.key", "unnamed", "seen", ".worktrees", "node_modules/inner"} {
		require.NoFileExists(t, at(name))
		require.NoDirExists(t, at(name))
	}
	require.Empty(t, p.gitIn(tree.Path, "status", "--porcelain"))

	p.write(".env", "other")
	_, err = p.Branch(ctx, "t", "t", p.base)
	require.NoError(t, err)
	require.Equal(t, "secret", content(t, tree.Path, ".env"), "a checkout that stands gets nothing")
	require.NoError(t, os.RemoveAll(tree.Path))
	_, err = p.Branch(ctx, "t", "t", p.base)
	require.NoError(t, err)
	require.Equal(t, "other", content(t, tree.Path, ".env"), "one that is made again does")
}

// What a commit has on the way, or no longer ignores, is left alone: nothing is written outside of
// the checkout, and no secret becomes a file that git add takes.
func TestIncludeIntoAnotherCommit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	outside := t.TempDir()
	p.write(".gitignore", "*.key\n")
	p.write(".worktreeinclude", "*.key\n")
	p.base = p.commitAll(p.dir, "ignore")
	p.git("checkout", "-q", "-b", "agent")
	require.NoError(t, os.Symlink(outside, filepath.Join(p.dir, "conf")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "own"), filepath.Join(p.dir, "own.key")))
	p.write(".gitignore", "*.key\n!bare.key\n")
	p.git("add", "-f", "own.key")
	tip := p.commitAll(p.dir, "links")
	p.git("checkout", "-q", "main")
	for _, name := range []string{"conf/a.key", "own.key", "bare.key", "good.key"} {
		p.write(name, "secret")
	}
	require.NoError(t, p.Private(ctx, tip, func(dir string) error {
		require.Equal(t, "secret", content(t, dir, "good.key"))
		require.NoFileExists(t, filepath.Join(dir, "bare.key"))
		return nil
	}))
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)
}
