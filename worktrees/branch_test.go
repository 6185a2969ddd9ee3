package worktrees_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

func obstacle(t *testing.T, err error) *worktrees.Obstacle {
	t.Helper()
	var o *worktrees.Obstacle
	require.ErrorAs(t, err, &o)
	require.NotEmpty(t, o.Reason)
	return o
}

func TestBranch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(t, p.whole("task-1", "liza/task-1", p.base), tree)
	require.Equal(t, "one\n", content(t, tree.Path, "a"))

	// Again: as it is, with work in it.
	p.write(filepath.Join(tree.Path, "a"), "changed\n")
	require.Equal(t, tree, p.branch("task-1", "liza/task-1"))
	require.Equal(t, "changed\n", content(t, tree.Path, "a"))

	// And with commits, from any directory.
	tip := p.commitAll(tree.Path, "work")
	for _, dir := range []string{tree.Path, filepath.Join(p.dir, "b"), filepath.Join(tree.Path, "b")} {
		again, err := p.open(dir).Branch(ctx, "task-1", "liza/task-1", p.base)
		require.NoError(t, err)
		require.Equal(t, worktrees.Tree{Name: "task-1", Path: p.Path("task-1"), Branch: "liza/task-1", Head: tip}, again)
	}
	second, err := p.open(filepath.Join(tree.Path, "b")).Branch(ctx, "task-2", "liza/task-2", p.base)
	require.NoError(t, err)
	require.Equal(t, p.Path("task-2"), second.Path)
	p.whole("task-2", "liza/task-2", p.base)

	trees, err := p.List(ctx)
	require.NoError(t, err)
	require.Len(t, trees, 2)
	require.Equal(t, 1, strings.Count(content(t, p.dir, ".git/info/exclude"), ".worktrees/\n"))
}

func TestBranchObstacles(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("checkout", "-q", "--orphan", "other")
	other := p.commitAll(p.dir, "unrelated")
	p.git("checkout", "-q", "main")
	require.NoError(t, os.Mkdir(filepath.Join(p.dir, ".worktrees"), 0o777))
	refs := func() string { return p.git("for-each-ref") + p.git("worktree", "list", "--porcelain") }

	for name, test := range map[string]struct {
		prepare      func()
		branch       string
		path, reason string
	}{
		"a folder":             {func() { p.write(".worktrees/folder/mine", "x") }, "liza/folder", "folder", "in the way"},
		"a file":               {func() { p.write(".worktrees/file", "x") }, "liza/file", "file", "in the way"},
		"a link":               {func() { require.NoError(t, os.Symlink(p.dir, p.Path("link"))) }, "liza/link", "link", "in the way"},
		"a link to nothing":    {func() { require.NoError(t, os.Symlink(t.TempDir(), p.Path("empty"))) }, "liza/empty", "empty", "in the way"},
		"a repository":         {func() { p.git("init", "-q", p.Path("repo")) }, "liza/repo", "repo", "in the way"},
		"unrelated branch":     {func() { p.git("branch", "liza/unrelated", string(other)) }, "liza/unrelated", "u", "does not come from"},
		"branch above":         {func() { p.git("branch", "above") }, "above/task", "above", "cannot make a branch"},
		"branch below":         {func() { p.git("branch", "below/x/y") }, "below/x", "below", "cannot make a branch"},
		"in main work tree":    {func() {}, "main", "main", "is checked out in " + p.dir},
		"in another work tree": {func() { p.git("worktree", "add", "-q", "-b", "liza/w", filepath.Join(p.dir, "..", "w")) }, "liza/w", "w2", "is checked out in"},
		"a foreign worktree":   {func() { p.git("worktree", "add", "-q", "-b", "foreign", p.Path("foreign")) }, "liza/foreign", "foreign", "does not have"},
	} {
		test.prepare()
		before := refs()
		_, err := p.Branch(ctx, test.path, test.branch, p.base)
		o := obstacle(t, err)
		require.Contains(t, o.Error(), test.reason, name)
		require.NotEmpty(t, o.Hint, name)
		require.Equal(t, before, refs(), name)
	}
	require.Equal(t, "x", content(t, p.Path("folder"), "mine"))
	for _, name := range []string{"", ".", "..", "a/b", "-x", ".hidden", "../x"} {
		_, err := p.Branch(ctx, name, "liza/x", p.base)
		require.ErrorContains(t, err, "cannot be the name", name)
	}
}

// A save of uncommitted work has the branch behind it. Where the checkout
// stands, what was saved is in it still; where it does not, it begins there.
// A folder that somebody emptied is filled again.
func TestBranchInAnEmptyFolder(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	require.NoError(t, os.RemoveAll(tree.Path))
	require.NoError(t, os.Mkdir(tree.Path, 0o777))
	require.Equal(t, tree, p.branch("task-1", "liza/task-1"))
	p.whole("task-1", "liza/task-1", p.base)
}

// A checkout that stands is nobody's alone if another work tree has its branch as well, or
// will have it again. What others do with branches of theirs is no obstacle.
func TestBranchThatTwoHave(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.write("a", "two\n")
	p.commitAll(p.dir, "two")
	tree := p.branch("task-1", "liza/task-1")
	elsewhere := filepath.Join(p.dir, "..", "elsewhere")
	p.git("worktree", "add", "-q", "-b", "free", elsewhere)
	const there = "checkout -q --ignore-other-worktrees liza/task-1"
	for _, test := range []struct {
		name     string
		commands []string // in the other work tree
		two      bool
	}{
		{"nothing of it", nil, false},
		{"it is on it", []string{there}, true},
		{"a bisection", []string{there, "bisect start liza/task-1 liza/task-1~1"}, true},
		{"its commit", []string{"bisect reset free", "checkout -q --detach liza/task-1"}, false},
		{"another branch", []string{"checkout -q -b liza/task-11"}, false},
	} {
		for _, command := range test.commands {
			p.git(append([]string{"-C", elsewhere}, strings.Fields(command)...)...)
		}
		again, err := p.open(p.dir).Branch(ctx, "task-1", "liza/task-1", p.base)
		if test.two {
			require.Contains(t, obstacle(t, err).Reason, "is checked out in", test.name)
			continue
		}
		require.NoError(t, err, test.name)
		require.Equal(t, tree, again, test.name)
	}
}

func TestBranchGoesOnFromSavedWork(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, removed := range map[string]bool{"the checkout stands": false, "the checkout was removed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			p.write(filepath.Join(tree.Path, "left"), "half done\n")
			saved, err := p.Contents.Snapshot(ctx, tree.Path, "Leftovers", nil)
			require.NoError(t, err)
			head := p.base
			if removed {
				require.NoError(t, p.Remove(ctx, "task-1"))
				head = saved
			}
			again, err := p.Branch(ctx, "task-1", "liza/task-1", saved)
			require.NoError(t, err)
			require.Equal(t, worktrees.Tree{Name: "task-1", Path: p.Path("task-1"), Branch: "liza/task-1", Head: head}, again)
			require.Equal(t, "half done\n", content(t, again.Path, "left"))
		})
	}
}

// The command in the hint brings back the branch of a checkout that somebody
// renamed or deleted.
func TestBranchHint(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, lose := range map[string]func(p *project, dir string){
		"renamed": func(p *project, dir string) { p.gitIn(dir, "branch", "-m", "mine") },
		"left":    func(p *project, dir string) { p.gitIn(dir, "checkout", "-q", "-b", "mine") },
		"deleted": func(p *project, dir string) {
			p.gitIn(dir, "checkout", "-q", "--detach")
			p.gitIn(dir, "branch", "-D", "liza/task-1")
		},
		"detached": func(p *project, dir string) { p.gitIn(dir, "checkout", "-q", "--detach") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			dir := p.branch("task-1", "liza/task-1").Path
			work := p.commitAll(dir, "work")
			lose(p, dir)
			_, err := p.Branch(ctx, "task-1", "liza/task-1", p.base)
			o := obstacle(t, err)
			require.Contains(t, o.Reason, "does not have the branch liza/task-1")
			p.typed(o.Hint)
			p.branch("task-1", "liza/task-1")
			p.whole("task-1", "liza/task-1", work)
		})
	}
}

func TestBranchConcurrently(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var wg sync.WaitGroup
	errs := make(chan error, 24)
	for n := range 24 {
		name := "task-" + string(rune('a'+n%8)) // each by three
		trees := p.open(p.dir)
		wg.Go(func() {
			_, err := trees.Branch(context.Background(), name, "liza/"+name, p.base)
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	for n := range 8 {
		name := "task-" + string(rune('a'+n))
		p.whole(name, "liza/"+name, p.base)
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	old := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(old.Path, "a"), "work\n")
	tip := p.commitAll(old.Path, "work")
	p.write(filepath.Join(old.Path, "a"), "more work\n")
	p.write("a", "main\n")
	start := p.commitAll(p.dir, "main goes on")

	_, err := p.Restart(ctx, "task-1@2", "liza/task-1", p.base, start)
	require.Contains(t, obstacle(t, err).Reason, "no longer at")

	for range 2 {
		_, err = p.Restart(ctx, "task-1@2", "liza/task-1", tip, start)
		require.NoError(t, err)
		p.whole("task-1@2", "liza/task-1", start)
		kept, ok, err := p.Find(ctx, "task-1")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, worktrees.Tree{Name: "task-1", Path: old.Path, Head: tip}, kept)
		require.Equal(t, "more work\n", content(t, old.Path, "a"))
	}
	// Work in the old checkout does not move the branch any more.
	p.commitAll(old.Path, "zombie")
	p.whole("task-1@2", "liza/task-1", start)
}

func TestRestartDuringRebase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	old := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(old.Path, "a"), "work\n")
	tip := p.commitAll(old.Path, "work")
	p.write("a", "main\n")
	start := p.commitAll(p.dir, "main goes on")
	_, err := p.tryIn(old.Path, "rebase", string(start))
	require.Error(t, err, "a conflict")

	same, err := p.Branch(ctx, "task-1", "liza/task-1", p.base)
	require.NoError(t, err, "the same coder goes on rebasing")
	require.Empty(t, same.Branch)

	id, err := p.Contents.Snapshot(ctx, old.Path, "saved", nil)
	require.NoError(t, err)
	require.Empty(t, p.git("rev-list", string(tip), "^"+string(id)), "what was committed is behind the snapshot")

	_, err = p.Restart(ctx, "task-1@2", "liza/task-1", tip, start)
	require.NoError(t, err)
	p.write(filepath.Join(old.Path, "a"), "resolved\n")
	p.gitIn(old.Path, "add", "a")
	p.gitIn(old.Path, "-c", "core.editor=true", "rebase", "--continue")
	p.whole("task-1@2", "liza/task-1", start)
}

func TestDetach(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	for _, gone := range []bool{false, true} {
		tree := p.branch("t", "liza/t")
		p.write(filepath.Join(tree.Path, "a"), fmt.Sprint("work ", gone))
		tip := p.commitAll(tree.Path, "work")
		if gone {
			p.git("update-ref", "-d", "refs/heads/liza/t")
		}
		require.NoError(t, p.Detach(ctx, "t", "liza/other"))
		require.Equal(t, "refs/heads/liza/t\n", string(p.gitIn(tree.Path, "symbolic-ref", "HEAD"))+"\n")
		for range 2 {
			require.NoError(t, p.Detach(ctx, "t", "liza/t"))
			p.whole("t", "", tip)
		}
		require.NoError(t, p.Remove(ctx, "t"))
	}
	require.NoError(t, p.Detach(ctx, "t", "liza/t"), "there is none")
}

func TestRestartWithoutCheckout(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	_, err := p.Restart(ctx, "t@1", "liza/t", "", p.base)
	require.NoError(t, err, "no branch yet")
	next := p.commitAll(p.dir, "next")
	require.NoError(t, os.RemoveAll(p.Path("t@1")))
	_, err = p.Restart(ctx, "t@2", "liza/t", p.base, next)
	require.NoError(t, err, "the old folder was deleted")
	p.whole("t@2", "liza/t", next)
	p.git("update-ref", "-d", "refs/heads/liza/t")
	_, err = p.Restart(ctx, "t@3", "liza/t", "", p.base)
	require.NoError(t, err, "the branch was deleted below the checkout")
	p.whole("t@3", "liza/t", p.base)
	p.git("checkout", "-q", "-b", "mine")
	_, err = p.Restart(ctx, "m", "mine", next, p.base)
	require.Contains(t, obstacle(t, err).Reason, "is checked out in")
	require.Equal(t, string(next), p.git("rev-parse", "mine"))
}

func TestDetached(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	for range 2 {
		tree, err := p.Detached(ctx, "review@task-1@1", p.base)
		require.NoError(t, err)
		require.Equal(t, p.whole("review@task-1@1", "", p.base), tree)
	}
	moved := p.commitAll(p.Path("review@task-1@1"), "by the reviewer")
	_, err := p.Detached(ctx, "review@task-1@1", p.base)
	require.Contains(t, obstacle(t, err).Reason, moved.Short())
	_, err = p.Detached(ctx, "x", git.ID(strings.Repeat("1", 40)))
	require.Error(t, err)
	_, ok, err := p.Find(ctx, "x")
	require.NoError(t, err)
	require.False(t, ok)
	require.NoDirExists(t, p.Path("x"))
}

func TestOpenBare(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	p.git("clone", "-q", "--bare", p.dir, bare)
	repo, err := git.Open(context.Background(), bare)
	require.NoError(t, err)
	_, err = worktrees.Open(repo)
	require.ErrorIs(t, err, worktrees.ErrNoWorkTree)
}
