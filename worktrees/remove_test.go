package worktrees_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// swept requires that nothing is left of any checkout.
func (p *project) swept() {
	p.t.Helper()
	for _, pattern := range []string{".worktrees/*", ".worktrees/.*", ".git/worktrees/*", ".git/liza/undone-*", ".git/liza/new-*", ".git/liza/scratch-*"} {
		left, err := filepath.Glob(filepath.Join(p.dir, pattern))
		require.NoError(p.t, err)
		require.Empty(p.t, left)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x")
	p.write(filepath.Join(tree.Path, "cache/locked/x"), "x")
	require.NoError(t, os.Chmod(filepath.Join(tree.Path, "cache/locked"), 0o555))
	for range 2 {
		require.NoError(t, p.open(p.dir).Remove(ctx, "task-1"))
		p.swept()
	}
	require.Equal(t, string(p.base), p.git("rev-parse", "liza/task-1"), "the branch stays")

	p.branch("task-1", "liza/task-1")
	require.NoError(t, os.RemoveAll(tree.Path))
	require.NoError(t, p.Remove(ctx, "task-1"), "the folder was deleted")
	p.swept()
}

func TestRemoveObstacles(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.write(".worktrees/folder/mine", "x")
	require.Contains(t, obstacle(t, p.Remove(ctx, "folder")).Reason, "in the way")
	p.branch("task-1", "liza/task-1")
	p.git("worktree", "unlock", p.Path("task-1"))
	p.git("worktree", "lock", "--reason", "on a stick", p.Path("task-1"))
	require.Contains(t, obstacle(t, p.Remove(ctx, "task-1")).Reason, "on a stick")
	p.git("worktree", "unlock", p.Path("task-1"))
	p.branch("task-1", "liza/task-1") // locked by us again
	p.whole("task-1", "liza/task-1", p.base)

	require.NoError(t, os.RemoveAll(filepath.Join(p.Path("task-1"), ".git")))
	p.git("init", "-q", p.Path("task-1"))
	require.Contains(t, obstacle(t, p.Remove(ctx, "task-1")).Reason, "another repository")
	require.FileExists(t, filepath.Join(p.Path("task-1"), "a"))
	require.Error(t, p.Remove(ctx, "../b"))
	require.FileExists(t, filepath.Join(p.dir, "b/c"))
}

func TestSweepLeftovers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.branch("task-1", "liza/task-1")
	p.branch("task-2", "liza/task-2")
	p.branch("task-3", "liza/task-3")
	outside := filepath.Join(t.TempDir(), "task-9")
	p.git("worktree", "add", "-q", "-b", "mine", outside)
	p.write(".worktrees/folder/mine", "x")
	p.write(".worktrees/.gone-1/x/a", "x")
	p.write(".worktrees/.new-task-7/a", "x")
	p.write(".git/liza/new-task-7.lock", "")
	p.write(".git/liza/scratch-1/x/HEAD", "x")
	p.write(".git/liza/scratch-1.lock", "")
	require.NoError(t, p.Remove(ctx, "task-1"))
	require.NoError(t, p.Remove(ctx, "task-3"))
	require.NoError(t, p.Sweep(ctx))
	p.whole("task-2", "liza/task-2", p.base)
	require.FileExists(t, filepath.Join(outside, "a"))
	left, err := os.ReadDir(filepath.Join(p.dir, ".worktrees"))
	require.NoError(t, err)
	require.Len(t, left, 2)
	require.NoDirExists(t, filepath.Join(p.dir, ".git/liza/scratch-1"))
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.hook(".git/hooks/post-checkout", "exit 1\n")
	wrong := errors.New("gate")
	var first string
	err := p.Private(ctx, p.base, func(dir string) error {
		first = dir
		require.Equal(t, "one\n", content(t, dir, "a"))
		require.Equal(t, string(p.base), p.gitIn(dir, "rev-parse", "HEAD"))
		require.Equal(t, dir, p.gitIn(dir, "rev-parse", "--show-toplevel"))
		trees, err := p.List(ctx)
		require.NoError(t, err)
		require.Empty(t, trees, "it is private")
		p.write(filepath.Join(dir, "out"), "x")
		return p.Private(ctx, p.base, func(second string) error {
			require.NotEqual(t, first, second)
			require.FileExists(t, filepath.Join(first, "a"), "one in use is not swept")
			return wrong
		})
	})
	require.ErrorIs(t, err, wrong)
	p.swept()
	require.Error(t, p.Private(ctx, "1111111111111111111111111111111111111111", func(string) error { return nil }))
	p.swept()
}

func always() (bool, error) { return true, nil }
