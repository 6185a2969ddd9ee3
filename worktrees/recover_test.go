package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/stretchr/testify/require"
)

// Another's checkout, and another's lock, stay as they are.
func TestRecoverLeavesOthers(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.git("worktree", "add", "-q", "--lock", "--reason", "mine", "-b", "theirs", p.Path("theirs"))
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x")
	lock := filepath.Join(p.dir, ".git/worktrees/task-1/index.lock")
	p.write(lock, "")
	require.NoError(t, p.Leftovers.Clear(context.Background()))
	require.FileExists(t, lock)
	require.FileExists(t, filepath.Join(tree.Path, "new"))
	require.FileExists(t, filepath.Join(p.Path("theirs"), "a"))
	require.Contains(t, p.git("worktree", "list", "--porcelain"), "locked mine")
}

// While a checkout is made, in a process that lives, others leave it alone and a
// user's git works.
func TestRecoverWhileMade(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	begun, finish := filepath.Join(t.TempDir(), "begun"), filepath.Join(t.TempDir(), "finish")
	require.NoError(t, syscall.Mkfifo(begun, 0o600))
	require.NoError(t, syscall.Mkfifo(finish, 0o600))
	p.hook(".git/hooks/post-checkout", "echo >'"+begun+"'; cat '"+finish+"'\n")
	made := make(chan error, 1)
	go func() {
		_, err := p.Branch(ctx, "task-1", "liza/task-1", p.base)
		made <- err
	}()
	_, err := os.ReadFile(begun)
	require.NoError(t, err)
	p.usable("being made")
	p.git("worktree", "prune")
	require.NoError(t, p.open(p.dir).Leftovers.Clear(ctx))
	require.NoError(t, os.WriteFile(finish, nil, 0o666))
	require.NoError(t, <-made)
	p.whole("task-1", "liza/task-1", p.base)
}

// No git worktree command of a person removes a checkout, or forgets it while its folder is
// gone. The hint of a claim that is in its way does.
func TestLocked(t *testing.T) {
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1@2", "liza/task-1")
	review, err := p.Detached(ctx, "review@task-1@1", p.base)
	require.NoError(t, err)
	for _, path := range []string{tree.Path, review.Path} {
		out, err := p.tryIn(p.dir, "worktree", "remove", "--force", path)
		require.Error(t, err)
		require.Contains(t, out, "lock reason: git liza: "+filepath.Base(path)+"; git liza release task-1")
	}
	require.NoError(t, os.Rename(tree.Path, tree.Path+".moved"))
	p.git("worktree", "prune")
	p.git("gc", "-q", "--prune=now")
	require.NoError(t, p.Leftovers.Clear(ctx))
	require.NoError(t, os.Rename(tree.Path+".moved", tree.Path))
	require.Equal(t, tree, p.whole("task-1@2", "liza/task-1", p.base))

	require.NoError(t, os.RemoveAll(tree.Path))
	_, err = p.Branch(ctx, "other", "liza/task-1", p.base)
	o := obstacle(t, err)
	require.Contains(t, o.Reason, "which is gone")
	t.Chdir(p.dir)
	p.typed(o.Hint)
	p.branch("other", "liza/task-1")
	p.whole("other", "liza/task-1", p.base)
}

// A half-made checkout of a branch is in nobody's way under another name.
func TestHalfMadeUnderAnotherName(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(p *project) error{
		"Branch": func(p *project) error {
			_, err := p.Branch(context.Background(), "other", "liza/task-1", p.base)
			return err
		},
		"Restart": func(p *project) error {
			_, err := p.Restart(context.Background(), "other", "liza/task-1", p.base, p.base)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.branch("task-1", "liza/task-1")
			p.undone("task-1")
			p.write(filepath.Join(p.Path("task-1"), "a"), "hal")
			require.NoError(t, make(p))
			p.whole("other", "liza/task-1", p.base)
			require.NoDirExists(t, p.Path("task-1"))
			p.noLitter(name)
		})
	}
}

// The lock on a HEAD that a killed process was detaching is cleared.
func TestHeadLockOfADeadProcess(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	old := p.commitAll(p.branch("task-1", "liza/task-1").Path, "old work")
	require.NoError(t, p.Take(ctx, "task-1"))
	for n := 1; ; n++ {
		ended := p.run("restart", n, p.base)
		require.True(t, ended.Killed, "git took no lock on HEAD")
		if strings.Contains(ended.Operations[len(ended.Operations)-1], "write") &&
			strings.HasSuffix(ended.Operations[len(ended.Operations)-1], "worktrees/task-1/HEAD.lock") {
			break
		}
		p.git("update-ref", "refs/heads/liza/task-1", string(old))
	}
	lock := filepath.Join(p.dir, ".git/worktrees/task-1/HEAD.lock")
	require.FileExists(t, lock)
	tip := git.ID(p.git("rev-parse", "liza/task-1"))
	_, err := p.Restart(ctx, "task-1@2", "liza/task-1", tip, p.base)
	require.NoError(t, err)
	require.NoFileExists(t, lock)
	p.whole("task-1@2", "liza/task-1", p.base)
}
