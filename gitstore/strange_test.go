package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Entries of the journal and of the outbox that are not files stop no move, and a
// notice names them: a folder, a pipe, links to nowhere and in a circle, also under
// the names that entries would have.
func TestStrangeEntries(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.later()
	var want []string
	for _, dir := range []string{l.a.store.Repo.Journal.Dir(), outboxDir(l.a.store.Repo), waitingDir(l.a.store.Repo)} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "000000000001", "below"), 0o777))
		require.NoError(t, os.Symlink("000000000002", filepath.Join(dir, "000000000002")))
		require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "000000000003")))
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "000000000004.new"), 0o666))
		require.NoError(t, os.Symlink("push-2", filepath.Join(dir, "push-1")))
		require.NoError(t, os.Symlink("push-1", filepath.Join(dir, "push-2")))
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "push-3"), 0o666))
		for _, name := range []string{"000000000001", "000000000002", "000000000003", "000000000004.new", "push-1", "push-2", "push-3"} {
			want = append(want, filepath.Join(dir, name))
		}
	}
	for range 2 {
		_, err := l.a.store.Do(ctx, note("all the same"))
		require.NoError(t, err)
	}
	require.NoError(t, l.a.store.Repo.Journal.AwaitLocks(ctx, nil))
	paths, harm, err := StrangeFiles(l.a.store.Repo)
	require.NoError(t, err)
	require.False(t, harm)
	require.Equal(t, want, paths)
	l.agree(t)

	// In the place of a folder nothing can be passed over.
	dir := l.a.store.Repo.Journal.Dir()
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Symlink("journal", dir))
	_, err = l.a.store.Do(ctx, note("stopped"))
	require.ErrorContains(t, err, dir)
	paths, harm, err = StrangeFiles(l.a.store.Repo)
	require.NoError(t, err)
	require.True(t, harm)
	require.Equal(t, []string{dir}, paths)
}
