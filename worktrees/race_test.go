package worktrees

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// openSeeded opens the checkouts of a new repository with commits, and returns its folder.
func openSeeded(t *testing.T) (*Trees, string) {
	t.Helper()
	dir := gittest.Seeded(t)
	repo, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, repo.Close()) })
	trees, err := Open(repo)
	require.NoError(t, err)
	return trees, dir
}

// A branch that another process made since it was looked for serves as well, if its
// commits come from the same place.
func TestBranchMadeMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	trees, dir := openSeeded(t)
	start := ID(gittest.Git(t, dir, "rev-parse", "HEAD"))
	require.NoError(t, trees.branches.createBranch(ctx, "liza/a", start))
	require.NoError(t, trees.branches.createBranch(ctx, "liza/a", start), "made by somebody else")
	gittest.Git(t, dir, "update-ref", "refs/heads/liza/a", gittest.Git(t, dir, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "more"))
	require.NoError(t, trees.branches.createBranch(ctx, "liza/a", start), "with work on it")
	gittest.Git(t, dir, "update-ref", "refs/heads/liza/a", gittest.Git(t, dir, "commit-tree", "HEAD^{tree}", "-m", "strange"))
	var obstacle *Obstacle
	require.ErrorAs(t, trees.branches.createBranch(ctx, "liza/a", start), &obstacle)
	require.Equal(t, "liza/a", obstacle.Branch)
}

// The lock of a name is one that others find, whoever removed it while it was waited for.
func TestHoldAfterAnother(t *testing.T) {
	t.Parallel()
	trees, _ := openSeeded(t)
	for range 50 {
		first, err := trees.scratch.hold(context.Background(), "x")
		require.NoError(t, err)
		held := make(chan func(), 1)
		begun := make(chan struct{})
		go func() {
			close(begun)
			second, _ := trees.scratch.hold(context.Background(), "x")
			held <- second
		}()
		<-begun
		first()
		second := <-held
		require.NotNil(t, second)
		require.FileExists(t, trees.scratch.path("x.lock"))
		second()
	}
}

// A checkout that a living process makes or removes, or that is finished when its lock is free,
// stays.
func TestFinishedMeanwhileIsNotDiscarded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	trees, dir := openSeeded(t)
	made, err := trees.Branch(ctx, "task-1", "liza/task-1", ID(gittest.Git(t, dir, "rev-parse", "HEAD")))
	require.NoError(t, err)
	release, err := trees.scratch.hold(ctx, undonePrefix+"task-1")
	require.NoError(t, err)
	require.NoError(t, trees.sweepUndone(ctx))
	require.DirExists(t, made.Path)
	swept := make(chan error, 1)
	go func() { swept <- sweepName(trees.scratch.path(undonePrefix+"task-1.lock"), nil) }()
	release()
	require.NoError(t, <-swept)
	require.DirExists(t, made.Path)

	gittest.Write(t, filepath.Join(dir, ".git", "liza"), undonePrefix+"task-1.lock", "")
	require.NoError(t, trees.sweepUndone(ctx))
	require.NoDirExists(t, made.Path)
}
