package work

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

// A switch file is heeded once for each time that it is written, as long as its memory
// is there and can be read.
func TestSwitchesAreTakenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	repo, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	files := OpenSwitches(repo)
	find := func() []Switch {
		t.Helper()
		list, err := files.Find(context.Background())
		require.NoError(t, err)
		return list
	}
	require.Empty(t, find())
	pause := filepath.Join(dir, ".liza", "PAUSE")
	require.NoError(t, os.MkdirAll(filepath.Dir(pause), 0o755))
	written := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	write := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(pause, []byte(text), 0o600))
		written = written.Add(time.Second)
		require.NoError(t, os.Chtimes(pause, written, written))
	}
	write(strings.Repeat("a", 300) + "\x1b\nmore\n")
	found := find()
	require.Len(t, found, 1)
	require.Equal(t, ".liza/PAUSE", found[0].Path)
	require.LessOrEqual(t, len(found[0].Text), 200)
	require.NotContains(t, found[0].Text, "\x1b")
	require.Zero(t, found[0].Taken)
	require.NoError(t, files.NoteTaken(found[0], written))
	require.Equal(t, written, find()[0].Taken)

	write("once more")
	require.Zero(t, find()[0].Taken)
	require.NoError(t, files.NoteTaken(find()[0], written))
	other := OpenSwitches(repo)
	list, err := other.Find(context.Background())
	require.NoError(t, err)
	require.Equal(t, written, list[0].Taken, "another process knows it")

	require.NoError(t, os.Rename(pause, filepath.Join(dir, ".liza", "ABORT")))
	require.True(t, find()[0].Aborts)
	require.Zero(t, find()[0].Taken)
	require.NoError(t, files.NoteTaken(find()[0], written))
	text, err := os.ReadFile(files.memory())
	require.NoError(t, err)
	require.NotContains(t, string(text), "PAUSE", "the entry goes with its file")

	require.NoError(t, os.WriteFile(files.memory(), []byte("{"), 0o600))
	require.Zero(t, find()[0].Taken)
	require.Empty(t, find()[0].Fault)

	require.NoError(t, os.Rename(filepath.Join(dir, ".liza"), filepath.Join(dir, "elsewhere")))
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(dir, ".liza")))
	require.Equal(t, "the folder .liza is a link or another user's", find()[0].Fault)
}
