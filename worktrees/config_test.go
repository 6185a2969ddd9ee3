package worktrees_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

func (p *project) hook(path, text string) {
	p.t.Helper()
	p.script(path, "#!/bin/sh\n"+text)
}

func TestHook(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.hook(".git/hooks/post-checkout", `pwd >"`+filepath.Join(p.dir, "ran.o")+`"; echo "$@" >>"`+filepath.Join(p.dir, "ran.o")+`"`)
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(t, tree.Path+"\n"+strings.Repeat("0", 40)+" "+string(p.base)+" 1\n", content(t, p.dir, "ran.o"))
	require.NoError(t, os.Remove(filepath.Join(p.dir, "ran.o")))
	p.branch("task-1", "liza/task-1")
	require.NoFileExists(t, filepath.Join(p.dir, "ran.o"), "nothing was checked out")
}

// No git is started for a hook that does not exist; whatever may be one is left to git.
func TestNoHook(t *testing.T) {
	for name, one := range map[string]struct {
		arrange func(p *project)
		asked   bool
	}{
		"none":             {func(*project) {}, false},
		"another":          {func(p *project) { p.hook(".git/hooks/post-merge", "exit 1\n") }, false},
		"a folder of none": {func(p *project) { p.git("config", "core.hooksPath", ".githooks") }, false},
		"one by a setting": {func(p *project) { p.git("config", "hook.mine.command", "true") }, true},
		"not executable": {func(p *project) {
			p.hook(".git/hooks/post-checkout", "exit 1\n")
			require.NoError(p.t, os.Chmod(filepath.Join(p.dir, ".git/hooks/post-checkout"), 0o666))
		}, true},
		"configuration that only git reads": {func(p *project) { p.git("config", "includeIf.onbranch:x.path", "y") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			p, traces := newProject(t), t.TempDir()
			one.arrange(p)
			t.Setenv("GIT_TRACE2_EVENT", traces)
			p.branch("task-1", "liza/task-1")
			files, err := filepath.Glob(filepath.Join(traces, "*"))
			require.NoError(t, err)
			require.NotEmpty(t, files)
			asked := slices.ContainsFunc(files, func(path string) bool {
				return strings.Contains(content(t, path), `"hook","run"`)
			})
			require.Equal(t, one.asked, asked)
		})
	}
}

// A hook that fails is reported beside a checkout that is usable.
func TestHookFails(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.hook(".githooks/post-checkout", "echo no npm here >&2; exit 3\n")
	p.git("config", "core.hooksPath", ".githooks")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "hooks")
	base := git.ID(p.git("rev-parse", "HEAD"))
	tree, err := p.Branch(ctx, "task-1", "liza/task-1", base)
	var hook *worktrees.HookError
	require.ErrorAs(t, err, &hook)
	require.ErrorContains(t, err, "no npm here")
	require.Equal(t, p.whole("task-1", "liza/task-1", base), tree)
	again, err := p.Branch(ctx, "task-1", "liza/task-1", base)
	require.NoError(t, err)
	require.Equal(t, tree, again)
}

// Whatever the repository is configured to, checkouts are made, found, saved
// and removed.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for name, configure := range map[string]func(p *project){
		"plain":          func(*project) {},
		"worktreeConfig": func(p *project) { p.git("config", "extensions.worktreeConfig", "true") },
		"sparse, a folder left out": func(p *project) {
			p.git("sparse-checkout", "set", "--cone", "other")
			p.hook(".git/hooks/post-checkout", "test ! -e b\n")
		},
		"sparse index": func(p *project) { p.git("sparse-checkout", "set", "--cone", "--sparse-index", "other") },
		"split index":  func(p *project) { p.git("config", "core.splitIndex", "true"); p.git("reset", "-q", "--hard") },
		"packed":       func(p *project) { p.git("gc", "-q"); p.git("pack-refs", "--all") },
		"a linked folder": func(p *project) {
			require.NoError(p.t, os.Symlink(p.t.TempDir(), filepath.Join(p.dir, ".worktrees")))
			p.write(".git/info/exclude", ".worktrees\n")
		},
		"submodule": func(p *project) {
			from := filepath.Join(p.t.TempDir(), "sub")
			p.git("clone", "-q", p.dir, from)
			p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "sub")
			p.git("config", "submodule.recurse", "true")
			p.base = p.commitAll(p.dir, "submodule")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("other/x", "x\n")
			p.base = p.commitAll(p.dir, "other")
			configure(p)
			p.wholeLife()
		})
	}
}

// A checkout is made like the main work tree, whichever the command runs in.
func TestSparseElsewhere(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	sparse := filepath.Join(t.TempDir(), "sparse")
	p.git("worktree", "add", "-q", "--detach", sparse)
	p.gitIn(sparse, "sparse-checkout", "set", "--cone", "nothing")
	require.NoFileExists(t, filepath.Join(sparse, "b/c"))
	_, err := p.open(sparse).Branch(context.Background(), "task-1", "liza/task-1", p.base)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(p.Path("task-1"), "b/c"))
}

// wholeLife goes through everything, once.
func (p *project) wholeLife() {
	p.t.Helper()
	ctx := context.Background()
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(p.t, p.whole("task-1", "liza/task-1", p.base), tree)
	require.FileExists(p.t, filepath.Join(tree.Path, "other/x"))
	p.write(filepath.Join(tree.Path, "other/new"), "x")
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.NoError(p.t, err)
	require.Equal(p.t, "other/new", p.git("diff-tree", "-r", "--name-only", string(p.base), string(id)))
	new := git.ID(p.git("commit-tree", "-m", "merge", "-p", string(p.base), string(id)+"^{tree}"))
	_, err = p.Restart(ctx, "task-1@2", "liza/task-1", p.base, new)
	require.NoError(p.t, err)
	require.NoError(p.t, p.advance(p.base, new))
	require.Empty(p.t, p.git("status", "--porcelain"))
	require.Equal(p.t, "x", content(p.t, p.dir, "other/new"))
	require.NoError(p.t, os.RemoveAll(p.Path("task-1@2")))
	_, err = p.Restart(ctx, "task-1@2", "liza/task-1", p.base, new)
	require.NoError(p.t, err)
	p.whole("task-1@2", "liza/task-1", new)
	require.NoError(p.t, p.Private(ctx, new, func(dir string) error {
		require.FileExists(p.t, filepath.Join(dir, "other/new"))
		return nil
	}))
	trees, err := p.List(ctx)
	require.NoError(p.t, err)
	require.Len(p.t, trees, 2)
	for _, tree := range trees {
		require.NoError(p.t, p.Remove(ctx, tree.Name))
	}
	require.NoError(p.t, p.Sweep(ctx))
	p.swept()
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir, ".git")))
	p.git("init", "-q", "-b", "main", "--object-format=sha256")
	p.write("other/x", "x\n")
	p.base = p.commitAll(p.dir, "base")
	p.Trees = p.open(p.dir)
	p.wholeLife()
}

// A project that was moved as a whole mends its links; a copy leaves the
// original alone, and its own checkout is whole once its entry is made again.
func TestMovedAndCopied(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x")
	copied := p.dir + " copy"
	require.NoError(t, exec.Command("cp", "-R", p.dir, copied).Run())
	_, err := p.open(copied).Branch(ctx, "task-1", "liza/task-1", p.base)
	require.Equal(t, "rm -r '"+copied+"/.git/worktrees/task-1'", obstacle(t, err).Hint)
	require.NoError(t, os.RemoveAll(copied+"/.git/worktrees/task-1"))
	tree, err = p.open(copied).Branch(ctx, "task-1", "liza/task-1", p.base)
	require.NoError(t, err)
	require.Equal(t, copied+"/.worktrees/task-1", tree.Path)
	require.Equal(t, "?? new", p.gitIn(tree.Path, "status", "--porcelain"))
	require.Equal(t, []string{"new"}, p.status(p.Path("task-1")).Untracked)

	require.NoError(t, os.RemoveAll(copied))
	require.NoError(t, os.Rename(p.dir, copied))
	p.dir = copied
	p.Trees = p.open(copied)
	require.NoError(t, p.Leftovers.Clear(ctx))
	tree = p.branch("task-1", "liza/task-1")
	require.Equal(t, copied+"/.worktrees/task-1", tree.Path)
	require.Equal(t, []string{"new"}, p.status(tree.Path).Untracked)
	require.Contains(t, p.git("worktree", "list", "--porcelain"), tree.Path+"\n")
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write(".git/info/exclude", "# mine\n*.log")
	for range 2 {
		require.NoError(t, p.Ignore())
		require.Equal(t, "# mine\n*.log\n.worktrees/\n", content(t, p.dir, ".git/info/exclude"))
	}
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir, ".git/info")))
	require.NoError(t, p.Ignore())
	require.Equal(t, ".worktrees/\n", content(t, p.dir, ".git/info/exclude"))
}
