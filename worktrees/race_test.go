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

// A checkout that was half-made when it was looked at, and is finished when its lock is
// free, stays.
func TestFinishedMeanwhileIsNotDiscarded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	trees, dir := openSeeded(t)
	made, err := trees.Branch(ctx, "task-1", "liza/task-1", ID(gittest.Git(t, dir, "rev-parse", "HEAD")))
	require.NoError(t, err)
	r := record{name: "task-1", path: made.Path, gitDir: filepath.Join(dir, ".git", "worktrees", "task-1"), locked: making, half: true}
	require.NoError(t, trees.discardDead(r))
	require.DirExists(t, filepath.Join(made.Path, ".git"))

	gittest.Git(t, dir, "worktree", "lock", "--reason", making, made.Path)
	require.NoError(t, trees.discardDead(r))
	require.NoDirExists(t, made.Path)
}
