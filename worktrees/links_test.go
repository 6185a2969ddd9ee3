package worktrees

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The links of a path are followed as resolveLinks does, also where its last part is a link
// itself, or is not there, and where its folder was looked at before.
func TestFolderLinks(t *testing.T) {
	t.Parallel()
	dir := resolveLinks(t.TempDir())
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.MkdirAll(at("real/tree/below"), 0o755))
	require.NoError(t, os.Symlink("real", at("link")))
	require.NoError(t, os.Symlink("tree", at("real/other")))
	require.NoError(t, os.Symlink("nothing", at("real/lost")))
	require.NoError(t, os.Symlink("round", at("round")))
	links := folderLinks{}
	for range 2 {
		for _, name := range []string{"real", "real/tree", "link", "link/tree", "link/other", "link/other/below", "link/lost", "link/none", "none/none", "round", "round/none", "real/tree/below"} {
			require.Equal(t, resolveLinks(at(name)), links.resolve(at(name)), name)
		}
	}
	require.Equal(t, at("real/tree"), links.resolve(at("link/other")))
	require.Equal(t, resolveLinks("/"), links.resolve("/"))
}
