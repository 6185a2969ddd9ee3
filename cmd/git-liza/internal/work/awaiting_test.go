package work

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// An agent waits as long as anybody holds its lock; a file that nobody holds
// is none.
func TestAwaiting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.False(t, Awaiting(dir, "coder-1"), "no file")
	one, err := holdWait(dir, "coder-1")
	require.NoError(t, err)
	two, err := holdWait(dir, "coder-1")
	require.NoError(t, err)
	require.True(t, Awaiting(dir, "coder-1"))
	require.True(t, Awaiting(dir, "coder-1"), "asking takes nothing")
	require.False(t, Awaiting(dir, "coder-2"))
	one()
	require.True(t, Awaiting(dir, "coder-1"), "the other one still waits")
	two()
	require.FileExists(t, awaitPath(dir, "coder-1"))
	require.False(t, Awaiting(dir, "coder-1"), "the file of a process that is gone")
	require.NoError(t, os.Chmod(awaitPath(dir, "coder-1"), 0))
	require.False(t, Awaiting(dir, "coder-1"))
}
