package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m, child) }

func open(t testing.TB, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func loosePath(objectDir string, id git.ID) string {
	return filepath.Join(objectDir, string(id[:2]), string(id[2:]))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
