package worktrees_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

// setUp makes a checkout ready as a project's own command does.
func (p *project) setUp(path string, files map[string]string) {
	p.t.Helper()
	require.NoError(p.t, p.Contents.SetUp(context.Background(), path, func() error {
		for name, text := range files {
			p.write(filepath.Join(path, name), text)
		}
		return nil
	}))
}

// What the set-up left does not count while it stays as it was.
func TestBaseline(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	file := func(name string) string { return filepath.Join(tree.Path, name) }
	p.write(file("b/c"), "work\n")
	p.setUp(tree.Path, map[string]string{"a": "installed\n", "made ü\n/x": "1\n", "b/c": "work, and installed\n"})
	later := time.Now().Add(time.Hour)
	for _, step := range []struct {
		name              string
		do                func()
		unstaged, counted []string
	}{
		{"at first", func() {}, []string{"b/c"}, nil},
		{"touched", func() { require.NoError(t, os.Chtimes(file("a"), later, later)) }, []string{"b/c"}, nil},
		{"changed", func() { p.write(file("a"), "installed too\n") }, []string{"a", "b/c"}, nil},
		{"as it was", func() { p.write(file("a"), "installed\n") }, []string{"b/c"}, nil},
		{"executable", func() { require.NoError(t, os.Chmod(file("a"), 0o755)) }, []string{"a", "b/c"}, nil},
		{"set up anew", func() { p.setUp(tree.Path, map[string]string{"made ü\n/x": "2\n"}) }, []string{"a", "b/c"}, nil},
		{"more beside it", func() { p.write(file("made ü\n/y"), "") }, []string{"a", "b/c"}, []string{"made ü\n/y"}},
		{"a link for it", func() {
			require.NoError(t, os.Remove(file("made ü\n/x")))
			require.NoError(t, os.Symlink("y", file("made ü\n/x")))
		}, []string{"a", "b/c"}, []string{"made ü\n/x", "made ü\n/y"}},
		{"all was there before", func() { p.setUp(tree.Path, nil) }, []string{"a", "b/c"}, []string{"made ü\n/x", "made ü\n/y"}},
		{"gone", func() { require.NoError(t, os.RemoveAll(file("made ü\n"))) }, []string{"a", "b/c"}, nil},
		{"removed by it", func() {
			require.NoError(t, p.Contents.SetUp(context.Background(), tree.Path, func() error { return os.Remove(file(".gitignore")) }))
		}, []string{"a", "b/c"}, nil},
		{"a pipe for what was written down", func() {
			note := filepath.Join(p.dir, ".git/worktrees/task-1/liza-baseline")
			require.NoError(t, os.Remove(note))
			require.NoError(t, syscall.Mkfifo(note, 0o666))
		}, []string{".gitignore", "a", "b/c"}, nil},
	} {
		step.do()
		s := p.status(tree.Path)
		require.Equal(t, step.unstaged, s.Unstaged, step.name)
		require.Equal(t, step.counted, s.Untracked, step.name)
	}
}

// What was committed counts, however it came there; what failed is nobody's.
func TestBaselineStaged(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.setUp(tree.Path, map[string]string{"a": "installed\n", "made": "1\n"})
	require.True(t, p.status(tree.Path).Clean())
	require.Equal(t, []string{"a", "made"}, p.status(tree.Path).Left)
	p.gitIn(tree.Path, "add", "made")
	p.gitIn(tree.Path, "commit", "-q", "-m", "made")
	s := p.status(tree.Path)
	require.Equal(t, []string{"a"}, s.Left)
	require.Equal(t, string(s.Head), p.gitIn(tree.Path, "rev-parse", "HEAD"))
	broken := errors.New("broken")
	require.ErrorIs(t, p.Contents.SetUp(context.Background(), tree.Path, func() error { return broken }), broken)
	require.Equal(t, []string{"a"}, p.status(tree.Path).Left)
}

// What the user's own hook leaves in a new checkout is nobody's work either.
func TestBaselineOfHook(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.script(filepath.Join(p.dir, ".git/hooks/post-checkout"), "#!/bin/sh\necho installed >a\n")
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(t, "installed\n", content(t, tree.Path, "a"))
	p.setUp(tree.Path, map[string]string{"made": "1\n"})
	require.True(t, p.status(tree.Path).Clean())
	require.Equal(t, []string{"a", "made"}, p.status(tree.Path).Left)
}

// Neither a commit on somebody's behalf nor a snapshot has what the set-up left, and a
// checkout goes that has nothing else.
func TestBaselineIsNotSaved(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	require.NoError(t, p.Contents.SetUp(ctx, tree.Path, func() error {
		p.git("init", "-q", filepath.Join(tree.Path, "tools"))
		p.write(filepath.Join(tree.Path, "tools/x"), "")
		p.write(filepath.Join(tree.Path, "a"), "installed\n")
		p.write(filepath.Join(tree.Path, "made"), "1\n")
		return nil
	}))
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.NoError(t, err)
	require.Equal(t, p.base, id)

	p.write(filepath.Join(tree.Path, "work"), "1\n")
	id, err = p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.ErrorIs(t, err, worktrees.ErrIncomplete)
	require.ErrorContains(t, err, "task-1: a, made, tools/")
	require.Equal(t, ".gitignore\na\nb/c\nwork", p.git("ls-tree", "-r", "--name-only", string(id)))
	require.Equal(t, "one", p.git("show", string(id)+":a"))
	require.NoError(t, p.Contents.Commit(ctx, tree.Path, "work", os.Environ()))
	require.Equal(t, "work", p.git("diff", "--name-only", string(p.base), "liza/task-1"))
	require.True(t, p.status(tree.Path).Clean())
	kept, err := p.Retire(ctx, "task-1", nil, always)
	require.NoError(t, err)
	require.Empty(t, kept)
}

// What never leaves the machine is in no snapshot, staged or not, and is not lost.
func TestNever(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.write("old.key", "old\n")
	p.base = p.commitAll(p.dir, "more")
	tree := p.branch("task-1", "liza/task-1")
	never := func(path string) bool { return strings.HasSuffix(path, ".key") }
	for _, name := range []string{"new.key", "staged.key", "old.key", "work"} {
		p.write(filepath.Join(tree.Path, name), "secret\n")
	}
	p.gitIn(tree.Path, "add", "staged.key", "old.key")
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", never)
	require.ErrorIs(t, err, worktrees.ErrIncomplete)
	require.ErrorContains(t, err, "task-1: new.key, old.key, staged.key")
	require.Equal(t, "work", p.git("diff", "--name-only", string(p.base), string(id)))
	kept, err := p.Retire(ctx, "task-1", never, always)
	require.NoError(t, err)
	require.Equal(t, "secret\n", content(t, kept, "new.key"))
}

// Only what is inside is swept away.
func TestSweep(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "note/x"), "")
	require.NoError(t, os.Symlink(p.dir, filepath.Join(tree.Path, "out")))
	require.Equal(t, []string{"note/"}, worktrees.Strays{Dir: tree.Path, Names: []string{"out/a", "../../a", "note/"}}.Sweep())
	require.FileExists(t, filepath.Join(p.dir, "a"))
	require.Equal(t, []string{"out"}, p.status(tree.Path).Untracked)
}
