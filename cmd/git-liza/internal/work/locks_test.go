package work

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A lock that was let go and taken again while somebody looked is not the one
// that was abandoned.
func TestLockThatChangedStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.lock")
	seen := func() Lock {
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		long := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(path, long, long))
		info, err := os.Lstat(path)
		require.NoError(t, err)
		return Lock{Path: path, Age: time.Hour, info: info}
	}

	lock := seen()
	require.NoError(t, os.WriteFile(path+".new", []byte("another\n"), 0o644))
	require.NoError(t, os.Rename(path+".new", path))
	gone, err := lock.clear(context.Background())
	require.NoError(t, err)
	require.False(t, gone)
	require.FileExists(t, path)

	require.NoError(t, os.Remove(path))
	lock = seen()
	require.NoError(t, os.Chtimes(path, time.Now(), time.Now()))
	gone, err = lock.clear(context.Background())
	require.NoError(t, err)
	require.False(t, gone)

	lock = seen()
	gone, err = lock.clear(context.Background())
	require.NoError(t, err)
	require.True(t, gone)
	require.NoFileExists(t, path)

	gone, err = lock.clear(context.Background())
	require.NoError(t, err)
	require.False(t, gone)
}

// A young lock may belong to a living process: nothing is removed before the lock
// has stood for a while, and the wait ends with its context.
func TestYoungLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.lock")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Lock{Path: path, info: info}.clear(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, path)
}

// Whoever works in a checkout keeps its locks, and a lock behind a link stays.
func TestClearLocksInUse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell who works where")
	}
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "x.lock")
	lock := filepath.Join(dir, ".git", "index.lock")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
	require.NoError(t, os.WriteFile(lock, nil, 0o644))
	require.NoError(t, os.WriteFile(outside, nil, 0o644))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, ".git", "refs")))
	editor := exec.Command("cat")
	editor.Dir = dir
	input, err := editor.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, editor.Start())
	require.NoError(t, ClearLocks(dir))
	require.FileExists(t, lock)
	require.NoError(t, input.Close())
	require.NoError(t, editor.Wait())
	require.NoError(t, ClearLocks(dir))
	require.NoFileExists(t, lock)
	require.FileExists(t, outside)
}
