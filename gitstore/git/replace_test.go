package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

func TestReplaceFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(folder, "file")
	for _, content := range []string{"first", "", "third\n"} {
		require.NoError(t, git.ReplaceFile(path, []byte(content)))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(text))
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	taken := filepath.Join(folder, "taken")
	require.NoError(t, os.Mkdir(taken, 0o755))
	require.Error(t, git.ReplaceFile(taken, []byte("x")), "a folder is there")
	require.Error(t, git.ReplaceFile(filepath.Join(path, "below"), []byte("x")), "its folder is a file")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing else is left: %v", entries)
}
