package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/worktrees"
)

// ruins are what a .git may be like that git takes for no repository: it then works on the clone.
var ruins = map[string]func(t *testing.T, dotGit string){
	"no refs":       func(t *testing.T, dotGit string) { require.NoError(t, os.RemoveAll(dotGit+"/refs")) },
	"no objects":    func(t *testing.T, dotGit string) { require.NoError(t, os.RemoveAll(dotGit+"/objects")) },
	"no HEAD":       func(t *testing.T, dotGit string) { require.NoError(t, os.Remove(dotGit+"/HEAD")) },
	"HEAD a folder": head(func(path string) error { return os.Mkdir(path, 0o777) }),
	"HEAD a FIFO":   head(func(path string) error { return syscall.Mkfifo(path, 0o666) }),
	"HEAD a link":   head(func(path string) error { return os.Symlink("/dev/zero", path) }),
	"HEAD huge":     head(func(path string) error { return os.WriteFile(path, make([]byte, 2<<20), 0o666) }),
	"HEAD empty":    head(func(path string) error { return os.WriteFile(path, nil, 0o666) }),
	"HEAD a text":   head(func(path string) error { return os.WriteFile(path, []byte("main\n"), 0o666) }),
	"refs a file": func(t *testing.T, dotGit string) {
		require.NoError(t, os.RemoveAll(dotGit+"/refs"))
		require.NoError(t, os.WriteFile(dotGit+"/refs", nil, 0o666))
	},
	"an empty folder": func(t *testing.T, dotGit string) {
		require.NoError(t, os.RemoveAll(dotGit))
		require.NoError(t, os.Mkdir(dotGit, 0o777))
	},
}

func head(replace func(path string) error) func(*testing.T, string) {
	return func(t *testing.T, dotGit string) {
		require.NoError(t, os.Remove(dotGit+"/HEAD"))
		require.NoError(t, replace(dotGit+"/HEAD"))
	}
}

// A repository inside that git takes for none is set aside and made again: otherwise an agent's
// git would find the clone above it, and work on that.
func TestRuinedInside(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, ruin := range ruins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			work := p.commitAll(tree.Path, "work")
			require.NoError(t, p.Take(ctx, "task-1"))
			p.write(filepath.Join(tree.Path, "mine"), "mine\n")
			p.write("a", "of a person\n")
			ruin(t, filepath.Join(tree.Path, ".git"))
			_, ok, err := p.Find(ctx, "task-1")
			require.NoError(t, err)
			require.False(t, ok)
			require.NoError(t, p.Renew(ctx, "task-1"))

			again, err := p.Branch(ctx, "task-1", "liza/task-1", p.base)
			left, listErr := p.Leftovers.List(ctx)
			require.NoError(t, listErr)
			if name != "an empty folder" {
				var kept *worktrees.Kept
				require.ErrorAs(t, err, &kept)
				require.Equal(t, filepath.Join(tree.Path, ".git"), kept.From)
				require.FileExists(t, filepath.Join(kept.To, "config"))
				require.Len(t, left, 1)
				require.Equal(t, kept.To, left[0].Path)
			} else {
				require.NoError(t, err)
				require.Empty(t, left)
			}
			require.Equal(t, work, again.Head)
			require.False(t, again.Broken)
			require.Equal(t, tree.Path, p.gitIn(tree.Path, "rev-parse", "--show-toplevel"))
			require.Equal(t, "## liza/task-1\n?? mine", p.gitIn(tree.Path, "status", "--short", "--branch"))
			p.gitIn(tree.Path, "stash", "-u", "-q")
			require.Equal(t, "of a person\n", content(t, p.dir, "a"))
			p.branch("task-1", "liza/task-1")
		})
	}
}

// A .git that is of no clone gives way to one of ours, with no file of the work changed: what
// it holds is kept, and a folder that a person made by hand stays theirs.
func TestReplacedInside(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, replace := range map[string]func(p *project, dir string) string{
		"a folder": func(p *project, dir string) string {
			p.gitIn(dir, "init", "-q")
			return ""
		},
		"a file": func(p *project, dir string) string {
			other := filepath.Join(p.t.TempDir(), "other")
			p.gitIn(dir, "init", "-q", "--separate-git-dir", other)
			return other
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			work := p.commitAll(tree.Path, "work")
			require.NoError(t, p.Take(ctx, "task-1"))
			require.NoError(t, os.RemoveAll(filepath.Join(tree.Path, ".git")))
			other := replace(p, tree.Path)
			p.write(filepath.Join(tree.Path, "mine"), "mine\n")
			theirs := p.commitAll(tree.Path, "theirs")
			require.True(t, worktrees.Missing(tree.Path))
			err := p.Mend(ctx, "task-1")
			var kept *worktrees.Kept
			require.ErrorAs(t, err, &kept)
			if other == "" {
				other = kept.To
			}
			require.Equal(t, string(theirs), p.git("--git-dir", other, "rev-parse", "HEAD"))
			require.FileExists(t, filepath.Join(tree.Path, "mine"))
			require.Equal(t, string(work), p.gitIn(tree.Path, "rev-parse", "HEAD"))
			require.Equal(t, "## liza/task-1\n?? mine", p.gitIn(tree.Path, "status", "--short", "--branch"))
			require.False(t, worktrees.Missing(tree.Path))
			require.NoError(t, p.Mend(ctx, "task-1"))
			require.NoError(t, os.RemoveAll(tree.Path))
			require.NoError(t, p.Mend(ctx, "task-1"))
			p.whole("task-1", "liza/task-1", work)
			require.NoError(t, p.Mend(ctx, "task-2"))
			p.git("worktree", "add", "-q", "-b", "theirs", p.Path("theirs"))
			require.NoError(t, os.Remove(p.Path("theirs")+"/.git"))
			p.gitIn(p.Path("theirs"), "init", "-q")
			require.Contains(t, obstacle(t, p.Mend(ctx, "theirs")).Reason, "another repository")
		})
	}
}

// Where the checkout was on another branch, or is not wanted any more, nothing of it gets lost.
func TestRuinedElsewhere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, act := range map[string]func(p *project) (string, error){
		"wanted": func(p *project) (string, error) {
			_, err := p.Branch(ctx, "task-1", "liza/task-1", p.base)
			o := obstacle(p.t, err)
			require.Contains(p.t, o.Reason, "does not have the branch liza/task-1 checked out")
			p.typed(o.Hint)
			p.branch("task-1", "liza/task-1")
			require.Equal(p.t, "main", p.git("branch", "--show-current"), "the hint's git found the checkout")
			require.Equal(p.t, "more\n", content(p.t, p.Path("task-1"), "more"))
			left, err := p.Leftovers.List(ctx)
			require.NoError(p.t, err)
			require.Len(p.t, left, 1)
			return left[0].Path, nil
		},
		"removed": func(p *project) (string, error) {
			return p.Retire(ctx, "task-1", nil, always)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			p.gitIn(tree.Path, "switch", "-q", "-c", "aside")
			p.write(filepath.Join(tree.Path, "mine"), "mine\n")
			own := p.commitAll(tree.Path, "own")
			require.NoError(t, p.Take(ctx, "task-1"))
			p.git("branch", "-f", "other", string(own))
			p.write(filepath.Join(tree.Path, "more"), "more\n")
			ruins["no refs"](t, filepath.Join(tree.Path, ".git"))
			kept, err := act(p)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(filepath.Base(kept), ".kept-task-1-"), kept)
			if name == "removed" {
				require.Equal(t, "more\n", content(t, kept, "more"))
				kept = filepath.Join(kept, ".git")
			}
			require.DirExists(t, filepath.Join(kept, "objects"))
		})
	}
}
