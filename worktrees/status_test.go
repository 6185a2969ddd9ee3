package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

func (p *project) status(path string) worktrees.Status {
	p.t.Helper()
	s, err := p.Contents.Status(context.Background(), path)
	require.NoError(p.t, err)
	return s
}

func TestStatus(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	s := p.status(tree.Path)
	require.True(t, s.Clean())
	require.Equal(t, p.base, s.Head)
	require.Equal(t, "liza/task-1", s.Branch)

	p.write(filepath.Join(tree.Path, "ignored.o"), "x")
	require.True(t, p.status(tree.Path).Clean(), "ignored files do not count")

	p.write(filepath.Join(tree.Path, "new ü\nfile"), "x")
	p.write(filepath.Join(tree.Path, "dir/deep"), "x")
	p.write(filepath.Join(tree.Path, "staged"), "x")
	p.gitIn(tree.Path, "add", "staged")
	p.write(filepath.Join(tree.Path, "a"), "staged\n")
	p.gitIn(tree.Path, "add", "a")
	p.write(filepath.Join(tree.Path, "a"), "and not staged\n")
	require.NoError(t, os.Remove(filepath.Join(tree.Path, "b/c")))
	touched := time.Unix(1e9, 0) // git would like to note that it is unchanged
	require.NoError(t, os.Chtimes(filepath.Join(tree.Path, ".gitignore"), touched, touched))
	before := content(t, p.dir, ".git/worktrees/task-1/index")
	s = p.status(filepath.Join(p.dir, ".worktrees", "task-1"))
	require.False(t, s.Clean())
	require.Empty(t, s.Staged, "what is staged inside is not committed")
	require.Equal(t, []string{"a", "b/c"}, s.Unstaged)
	require.Equal(t, []string{"dir/deep", "new ü\nfile", "staged"}, s.Untracked)
	require.Equal(t, []string{"a", "b/c", "dir/deep", "new ü\nfile", "staged"}, s.Changed())
	require.Equal(t, before, content(t, p.dir, ".git/worktrees/task-1/index"))

	main := p.status(p.dir)
	require.True(t, main.Clean(), "%v", main)
	require.Equal(t, "main", main.Branch)
	_, err := p.Contents.Status(context.Background(), filepath.Join(p.dir, "b"))
	require.Contains(t, obstacle(t, err).Reason, "not a work tree")
}

func TestStatusConflict(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "a"), "work\n")
	p.commitAll(tree.Path, "work")
	p.write("a", "main\n")
	_, err := p.tryIn(tree.Path, "merge", string(p.commitAll(p.dir, "main")))
	require.Error(t, err)
	s := p.status(tree.Path)
	require.Equal(t, []string{"a"}, s.Unstaged)
	require.False(t, s.Clean())
	id, err := p.Contents.Snapshot(context.Background(), tree.Path, "saved", nil)
	require.NoError(t, err)
	require.Contains(t, p.git("show", string(id)+":a"), "<<<<<<<")
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	file := func(name string) string { return filepath.Join(tree.Path, name) }
	seen := make(map[string]string)
	for _, step := range []struct {
		name string
		do   func()
		same bool
	}{
		{"at first", func() {}, false},
		{"touched", func() { p.write(file("a"), "one\n") }, true},
		{"ignored", func() { p.write(file("x.o"), "x") }, true},
		{"changed", func() { p.write(file("a"), "1\n") }, false},
		{"changed again, same size", func() { p.write(file("a"), "2\n") }, false},
		{"rewritten as it was", func() { p.write(file("a"), "2\n") }, true},
		{"staged", func() { p.gitIn(tree.Path, "add", "a") }, true},
		{"untracked", func() { p.write(file("new"), "1\n") }, false},
		{"untracked changed", func() { p.write(file("new"), "2\n") }, false},
		{"executable", func() { require.NoError(t, os.Chmod(file("new"), 0o755)) }, false},
		{"committed", func() { p.commitAll(tree.Path, "x") }, false},
		{"empty commit", func() { p.gitIn(tree.Path, "commit", "-q", "--allow-empty", "-m", "y") }, false},
		{"detached", func() { p.gitIn(tree.Path, "checkout", "-q", "--detach") }, false},
	} {
		before, err := p.Contents.Fingerprint(ctx, tree.Path)
		require.NoError(t, err)
		step.do()
		now, err := p.Contents.Fingerprint(ctx, tree.Path)
		require.NoError(t, err)
		if step.same {
			require.Equal(t, before, now, step.name)
			continue
		}
		require.NotContains(t, seen, now, step.name)
		seen[now] = step.name
	}
}
