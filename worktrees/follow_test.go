package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

// next makes a commit on top of main that no branch has: a changed, b/c
// deleted, d/e and f added.
func (p *project) next() git.ID {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "next")
	p.git("worktree", "add", "-q", "--detach", dir, "main")
	p.write(filepath.Join(dir, "a"), "changed\n")
	require.NoError(p.t, os.RemoveAll(filepath.Join(dir, "b")))
	p.write(filepath.Join(dir, "d/e"), "new\n")
	p.write(filepath.Join(dir, "f"), "new\n")
	id := p.commitAll(dir, "next")
	p.git("worktree", "remove", dir)
	return id
}

func (p *project) dirty(err error) *worktrees.Dirty {
	p.t.Helper()
	var d *worktrees.Dirty
	require.ErrorAs(p.t, err, &d)
	require.NotEmpty(p.t, d.Hint)
	return d
}

// advance does what a merge does.
func (p *project) advance(old, new git.ID) error {
	ctx := context.Background()
	if err := p.Followers.Check(ctx, "main", old, new); err != nil {
		return err
	}
	p.git("update-ref", "refs/heads/main", string(new), string(old))
	return p.Followers.Follow(ctx, "main", old, new)
}

func (p *project) arrived(dir string) {
	p.t.Helper()
	require.Empty(p.t, p.gitIn(dir, "status", "--porcelain", "--untracked-files=no"))
	require.Equal(p.t, "changed\n", content(p.t, dir, "a"))
	require.Equal(p.t, "new\n", content(p.t, dir, "d/e"))
	require.NoFileExists(p.t, filepath.Join(dir, "b/c"))
	for _, gitDir := range []string{".git", ".git/worktrees/w"} {
		require.NoFileExists(p.t, filepath.Join(p.dir, gitDir, "liza-follow"))
		require.NoFileExists(p.t, filepath.Join(p.dir, gitDir, "index.lock"))
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	new := p.next()
	second := filepath.Join(t.TempDir(), "w")
	p.git("worktree", "add", "-q", "--force", second, "main")
	p.write("untracked", "mine\n")
	p.write("b/ignored.o", "mine\n")
	require.NoError(t, os.Chtimes(filepath.Join(p.dir, "a"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
	require.NoError(t, p.advance(p.base, new))
	p.arrived(p.dir)
	p.arrived(second)
	require.Equal(t, "mine\n", content(t, p.dir, "untracked"))
	require.Equal(t, "mine\n", content(t, p.dir, "b/ignored.o"))

	// Again, with work begun on top: nothing to do.
	p.write("a", "work\n")
	p.git("add", "a")
	require.NoError(t, p.Followers.Follow(context.Background(), "main", p.base, new))
	require.Equal(t, "work\n", content(t, p.dir, "a"))
	require.NoError(t, p.Followers.Check(context.Background(), "nobody-has-it", p.base, new))
}

func TestFollowDirty(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path string
		do   func(p *project)
	}{
		"unstaged":               {"a", func(p *project) { p.write("a", "mine\n") }},
		"staged":                 {"s", func(p *project) { p.write("s", "mine\n"); p.git("add", "s") }},
		"untracked in the way":   {"f", func(p *project) { p.write("f", "mine\n") }},
		"file where a folder is": {"d", func(p *project) { p.write("d", "mine\n") }},
		"ignored in the way":     {"f", func(p *project) { p.write(".git/info/exclude", "f\n"); p.write("f", "mine\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			new := p.next()
			test.do(p)
			before := p.git("status", "--porcelain")
			d := p.dirty(p.advance(p.base, new))
			require.Equal(t, []string{test.path}, d.Paths)
			require.Equal(t, p.dir, d.Path)
			require.Equal(t, "mine\n", content(t, p.dir, test.path))
			require.Equal(t, before, p.git("status", "--porcelain"))
			require.Equal(t, string(p.base), p.git("rev-parse", "main"))
		})
	}
}

// The commands that a Dirty hints at are enough, also for ignored files, and take
// nothing else away.
func TestFollowHint(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ exclude, path string }{
		"untracked":              {"", "f"},
		"ignored":                {"f", "f"},
		"in an ignored folder":   {"d", "d/e"},
		"ignored for a folder":   {"d", "d"},
		"untracked for a folder": {"", "d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			new := p.next()
			p.write(".git/info/exclude", test.exclude+"\ncache\n")
			p.write("cache", "kept\n")
			p.write(test.path, "mine\n")
			d := p.dirty(p.advance(p.base, new))
			require.Equal(t, []string{test.path}, d.Paths)
			p.typed(d.Hint)
			require.NoError(t, p.advance(p.base, new))
			require.Equal(t, "changed\n", content(t, p.dir, "a"))
			require.Equal(t, "new\n", content(t, p.dir, "d/e"))
			require.Equal(t, "new\n", content(t, p.dir, "f"))
			require.Equal(t, "kept\n", content(t, p.dir, "cache"))
			require.Equal(t, "mine", p.git("show", "stash@{0}^3:"+test.path))
		})
	}
}

// A folder that becomes a file is in nobody's way, unless it has more in it
// than the commits know.
func TestFollowFolderBecomesFile(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	dir := filepath.Join(t.TempDir(), "next")
	p.git("worktree", "add", "-q", "--detach", dir, "main")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "b")))
	p.write(filepath.Join(dir, "b"), "a file\n")
	new := p.commitAll(dir, "next")
	p.write("b/mine.o", "mine\n")
	d := p.dirty(p.advance(p.base, new))
	require.Equal(t, []string{"b/mine.o"}, d.Paths)
	p.typed(d.Hint)
	require.NoError(t, p.advance(p.base, new))
	require.Equal(t, "a file\n", content(t, p.dir, "b"))
	require.Empty(t, p.git("status", "--porcelain"))
}

// Somebody edits while the ref moves: nothing of theirs is overwritten, and
// the next call continues.
func TestFollowEditedMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	new := p.next()
	require.NoError(t, p.Followers.Check(ctx, "main", p.base, new))
	p.git("update-ref", "refs/heads/main", string(new))
	p.write("a", "mine\n")
	for range 2 {
		d := p.dirty(p.Followers.Follow(ctx, "main", p.base, new))
		require.Equal(t, []string{"a"}, d.Paths)
		require.Equal(t, "mine\n", content(t, p.dir, "a"))
		require.NoFileExists(t, filepath.Join(p.dir, ".git/index.lock"))
	}
	p.write("a", "one\n")
	require.NoError(t, p.Followers.Follow(ctx, "main", p.base, new))
	p.arrived(p.dir)
}

// A killed process moved the ref, brought some of the files along and left its lock.
// The next merge completes it.
func TestFollowInterrupted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	new := p.next()
	require.NoError(t, p.Followers.Check(ctx, "main", p.base, new))
	p.git("update-ref", "refs/heads/main", string(new))
	p.write("a", "changed\n")
	p.write("f", "new\n")
	require.NoError(t, os.Remove(filepath.Join(p.dir, "b/c")))
	p.write(".git/index.lock", "git liza follows a branch here\n")
	p.write("untracked", "mine\n")

	third := p.next()
	require.NoError(t, p.advance(new, third))
	p.arrived(p.dir)
	require.Equal(t, "mine\n", content(t, p.dir, "untracked"))
}

// A note whose ref never moved is forgotten, and a staged revert is nobody's
// interrupted merge.
func TestFollowNotMoved(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	new := p.next()
	require.NoError(t, p.Followers.Check(ctx, "main", p.base, new))
	require.NoError(t, p.Followers.Follow(ctx, "main", p.base, new))
	require.Equal(t, "one\n", content(t, p.dir, "a"))
	require.NoError(t, p.advance(p.base, new))
	p.arrived(p.dir)
	p.git("revert", "-n", "HEAD")
	d := p.dirty(p.Followers.Check(ctx, "main", new, p.base))
	require.Contains(t, d.Paths, "a")
	require.Equal(t, "one\n", content(t, p.dir, "a"))
}

func TestFollowLocked(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	new := p.next()
	p.write(".git/index.lock", "")
	err := p.Followers.Check(context.Background(), "main", p.base, new)
	require.Equal(t, filepath.Join(p.dir, ".git/index.lock"), obstacle(t, err).Path)
	require.FileExists(t, filepath.Join(p.dir, ".git/index.lock"))
}
