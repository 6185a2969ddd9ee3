package work

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A supervisor reads what a session of another user noted, whatever lay in the way of it.
func TestOfflineIsReadByOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(offlinePath(dir, "coder-1"), "planted"), 0o755))
	began := time.Now().Add(-time.Minute)
	NoteOffline(dir, "coder-1", "the remote is away")
	require.Equal(t, "the remote is away", Offline(dir, "coder-1", began))
	require.Empty(t, Offline(dir, "coder-1", time.Now().Add(time.Minute)), "of an earlier session")

	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o666))
	mode := func(path string) os.FileMode {
		is, err := os.Stat(path)
		require.NoError(t, err)
		return is.Mode()
	}
	require.Equal(t, mode(plain), mode(offlinePath(dir, "coder-1")), "as this user's files are")
}
