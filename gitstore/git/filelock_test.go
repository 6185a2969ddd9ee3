package git_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestFileLock(t *testing.T) {
	t.Parallel()
	common := t.TempDir()
	open := func() *os.File {
		f, err := git.OpenLock(common, "x.lock")
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	holder, other := open(), open()
	require.NoError(t, git.TryLock(holder))
	require.ErrorIs(t, git.TryLock(other), syscall.EWOULDBLOCK)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	waiter := open()
	require.ErrorIs(t, git.AwaitLock(ctx, waiter), context.Canceled)
	git.Unlock(holder)
	gittest.Until(t, "the file of the wait that was canceled is closed", func() bool { _, err := waiter.Stat(); return err != nil })
	require.NoError(t, git.AwaitLock(context.Background(), other))
	require.ErrorIs(t, git.TryLock(open()), syscall.EWOULDBLOCK)
	git.Unlock(other)

	first, second := open(), open()
	require.NoError(t, git.ShareLock(first))
	require.NoError(t, git.ShareLock(second))
	require.ErrorIs(t, git.TryLock(open()), syscall.EWOULDBLOCK)

	require.True(t, git.StillAt(first, first.Name()))
	require.NoError(t, os.Rename(first.Name(), first.Name()+".gone"))
	require.False(t, git.StillAt(first, first.Name()))
	open()
	require.False(t, git.StillAt(first, first.Name()), "another file has its name")
	git.Unlock(second)
	require.NoError(t, git.ShareLock(first))
	require.False(t, git.LocksAt(first, first.Name()), "another file has its name")
	now := open()
	require.True(t, git.LocksAt(now, now.Name()))
	require.False(t, git.LocksAt(open(), now.Name()), "it is locked")
}
