package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

// In a partial clone git inside gets what is missing from where the clone does.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.write("a", "an older one\n")
	p.commitAll(p.dir, "older")
	p.git("checkout", "-q", "-b", "feature")
	p.write("b/c", "feature, older\n")
	p.commitAll(p.dir, "feature, older")
	p.write("b/c", "feature\n")
	p.commitAll(p.dir, "feature")
	p.git("checkout", "-q", "main")
	p.write("a", "newest\n")
	p.base = p.commitAll(p.dir, "newest")
	server := p.dir
	p.git("config", "uploadpack.allowFilter", "true")
	p.git("config", "uploadpack.allowAnySHA1InWant", "true")
	p.dir = filepath.Join(t.TempDir(), "partial")
	p.gitIn(server, "clone", "-q", "--filter=blob:none", "file://"+server, p.dir)
	p.git("branch", "feature", "origin/feature")
	p.Trees = p.open(p.dir)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x\n")
	work := p.commitAll(tree.Path, "work")
	p.whole("task-1", "liza/task-1", work)
	require.Equal(t, "an older one", p.gitIn(tree.Path, "show", "HEAD~2:a"))
	p.gitIn(tree.Path, "fsck")
	p.gitIn(tree.Path, "fetch", "-q")
	p.gitIn(tree.Path, "merge", "-q", "-m", "merge", "origin/feature")
	require.Equal(t, "feature\n", content(t, tree.Path, "b/c"))
	p.whole("task-1", "liza/task-1", git.ID(p.gitIn(tree.Path, "rev-parse", "HEAD")))
	p.gitIn(server, "checkout", "-q", "-b", "later")
	for _, text := range []string{"later, older\n", "later\n"} {
		p.write(filepath.Join(server, "later"), text)
		p.commitAll(server, "later")
	}
	p.gitIn(tree.Path, "fetch", "-q", "promisor", "later")
	p.gitIn(tree.Path, "merge", "-q", "-m", "merge", "FETCH_HEAD")
	p.whole("task-1", "liza/task-1", git.ID(p.gitIn(tree.Path, "rev-parse", "HEAD")))
	p.gitIn(tree.Path, "gc", "-q")
	p.write(filepath.Join(tree.Path, "more"), "x\n")
	_, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.NoError(t, err)
	_, err = p.tryIn(tree.Path, "push", "promisor", "HEAD:refs/heads/leak")
	require.Error(t, err)
	p.git("fsck")
	require.NoError(t, os.RemoveAll(tree.Path))
	p.branch("task-1", "liza/task-1")
}
