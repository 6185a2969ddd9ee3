package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Work that is committed while a task's branch is not the agent's to move is brought, and
// moves the branch once it is.
func TestTakeLeavesBranches(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	free := false
	p.FreeBranches = func(_ context.Context, branch string) bool { return free || branch != "liza/task-1" }
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x\n")
	later := p.commitAll(tree.Path, "later")
	for range 2 {
		require.NoError(t, p.Take(ctx, "task-1"))
		require.Equal(t, string(p.base), p.git("rev-parse", "liza/task-1"))
		require.Equal(t, string(later), p.git("--git-dir=.git/worktrees/task-1", "rev-parse", "HEAD"))
		require.Equal(t, "liza/task-1", p.gitIn(tree.Path, "branch", "--show-current"), "the agent sees no change")
	}
	p.write(filepath.Join(tree.Path, "new"), "y\n")
	latest := p.commitAll(tree.Path, "latest")
	free = true
	p.branch("task-1", "liza/task-1")
	p.whole("task-1", "liza/task-1", latest)
}

// The branch of a task whose checkout is detached outside already is taken from it inside too.
func TestDetachTwice(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x\n")
	later := p.commitAll(tree.Path, "later")
	p.FreeBranches = func(context.Context, string) bool { return false }
	require.NoError(t, p.Take(ctx, "task-1"))
	require.NoError(t, p.Detach(ctx, "task-1", "liza/task-1"))
	require.Empty(t, p.gitIn(tree.Path, "branch", "--show-current"))
	require.Equal(t, string(later), p.gitIn(tree.Path, "rev-parse", "HEAD"))
	p.git("branch", "-D", "liza/task-1")
	found, whole, err := p.Find(ctx, "task-1")
	require.NoError(t, err)
	require.True(t, whole)
	require.Equal(t, later, found.Head)
	require.Empty(t, p.git("branch", "--list", "liza/*"), "nothing inside brings it back")
}

// Refs inside are renewed as the clone's are, but for those that were moved inside.
func TestRenew(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("branch", "side")
	p.git("branch", "kept")
	tree := p.branch("task-1", "liza/task-1")
	own := p.gitIn(tree.Path, "commit-tree", "-m", "own", "HEAD^{tree}")
	p.gitIn(tree.Path, "update-ref", "refs/heads/kept", own)
	p.write("a", "moved\n")
	moved := p.commitAll(p.dir, "moved")
	p.git("branch", "-f", "side", string(moved))
	p.git("branch", "-f", "kept", string(moved))
	p.git("branch", "new", string(moved))
	require.NoError(t, p.Renew(ctx, "task-1"))
	for ref, want := range map[string]git.ID{"refs/heads/side": moved, "refs/heads/main": moved, "refs/heads/kept": git.ID(own), "refs/heads/new": moved,
		"refs/remotes/origin/kept": moved, "refs/remotes/origin/new": moved} {
		require.Equal(t, string(want), p.gitIn(tree.Path, "rev-parse", ref), ref)
	}
	out := t.TempDir()
	require.NoError(t, os.RemoveAll(filepath.Join(tree.Path, ".git", "refs", "remotes", "origin")))
	require.NoError(t, os.Symlink(out, filepath.Join(tree.Path, ".git", "refs", "remotes", "origin")))
	require.Error(t, p.Renew(ctx, "task-1"), "nothing is written through a link that leads out")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Empty(t, left)
}
