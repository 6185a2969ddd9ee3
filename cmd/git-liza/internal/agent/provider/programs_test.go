package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
)

// Each session has a folder of its own, which ends with it.
func TestProgramsOfEachSession(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	self, err := os.Executable()
	require.NoError(t, err)
	one, remove, err := provider.Programs(self)
	require.NoError(t, err)
	two, removeTwo, err := provider.Programs(self)
	require.NoError(t, err)
	require.NotEqual(t, one, two)
	for _, dir := range []string{one, two} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.FileExists(t, filepath.Join(dir, "git-liza"))
	}
	remove()
	require.NoDirExists(t, one)
	require.DirExists(t, two)
	removeTwo()
}
