package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// kill9 is a reference-transaction hook that kills the whole process group when
// the state ref is about to move.
const kill9 = `[ "$1" = prepared ] || exit 0
grep -q refs/liza/state || exit 0
kill -9 0`

// A process that is killed while its mirror moves leaves the locks of the
// mirror and of what it saw of the remote. The next one clears them before it
// fetches.
func TestKilledWhileTheMirrorMoves(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.later()
	gitDir := filepath.Join(l.a.dir, ".git")
	hook := filepath.Join(gitDir, "hooks", "reference-transaction")
	gittest.Script(t, hook, "#!/bin/sh\n"+kill9+"\n")
	cmd := storeChild(os.Args[0], l.a.dir, "note", "victim")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.Error(t, cmd.Run())
	require.NoError(t, os.Remove(hook))
	require.FileExists(t, filepath.Join(gitDir, "refs/liza/state.lock"))
	require.FileExists(t, filepath.Join(gitDir, "refs/liza/remote/origin/state.lock"))
	_, err := l.b.store.Do(context.Background(), note("from elsewhere"))
	require.NoError(t, err)

	l.a.store = l.a.open()
	_, err = l.a.store.Do(context.Background(), note("next"))
	require.NoError(t, err)
	gittest.NoLeftovers(t, gitDir)
	l.agree(t)
}

// A lock below refs/liza/remote/ that no process of ours took is named, and is
// not taken for a remote that cannot be reached.
func TestForeignLockOnWhatWasFetched(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	lock := filepath.Join(l.a.dir, ".git/refs/liza/remote/origin/state.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o666))
	l.b.add("task-1")
	_, err := l.a.store.Mirror.Sync(context.Background())
	var locked *git.Locked
	require.ErrorAs(t, err, &locked)
	require.ErrorContains(t, err, lock)
	require.Equal(t, "git liza doctor --unlock", locked.Hint)
	require.NotErrorIs(t, err, ErrOffline)
	require.FileExists(t, lock)
	require.NoError(t, os.Remove(lock))
	l.agree(t)
}

// A fetch that is killed leaves the locks of the refs that it writes.
func TestFetchKilled(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.later()
	l.b.add("task-1")
	gitDir := filepath.Join(l.a.dir, ".git")
	hook := filepath.Join(gitDir, "hooks", "reference-transaction")
	gittest.Script(t, hook, "#!/bin/sh\n[ \"$1\" != prepared ] || kill -9 $PPID\n")
	_, err := l.a.store.Mirror.Sync(context.Background())
	require.ErrorContains(t, err, "killed")
	require.NoError(t, os.Remove(hook))
	_, err = l.a.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	gittest.NoLeftovers(t, gitDir)
	l.agree(t)
}

// Git itself moves the refs of this clone that the user has configured for what
// the remote has; killed in that, it must not stop the user's own fetch.
func TestPushKilledAtAConfiguredRef(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.later()
	l.a.add("task-1")
	commit := l.a.submit("task-1", coder, "a.md", "one\n")
	l.a.approve("task-1", commit)
	gitDir := filepath.Join(l.a.dir, ".git")
	hook := filepath.Join(gitDir, "hooks", "reference-transaction")
	gittest.Script(t, hook, "#!/bin/sh\n[ \"$1\" = prepared ] && grep -q refs/remotes/origin/integration && kill -9 0\nexit 0\n")
	cmd := storeChild(os.Args[0], l.a.dir, "merge-task", "task-1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	_ = cmd.Run() // git alone dies, in a session of its own
	require.NoError(t, os.Remove(hook))
	_, err := l.a.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	gittest.NoLeftovers(t, gitDir)
	gittest.Git(t, l.a.dir, "fetch", "-q", "origin")
	l.agree(t)
}
