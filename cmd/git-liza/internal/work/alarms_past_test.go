package work

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestPastAlarms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	repo, err := git.Open(t.Context(), dir)
	require.NoError(t, err)
	rows, err := PastAlarms(repo, 10)
	require.NoError(t, err)
	require.Empty(t, rows)

	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, `{"key":"blocked task-%d x","kind":"blocked","subject":"task-%d","text":"blocked","state":"fired"}`+"\n", i, i)
	}
	text.WriteString("no row\n{\"key\":\"half")
	path := OpenAlarms(repo).path()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	rows, err = PastAlarms(repo, 3)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, "task-4999", rows[0].Subject)
	require.Equal(t, "task-4997", rows[2].Subject)
	rows, err = PastAlarms(repo, 10_000)
	require.NoError(t, err)
	require.Less(t, len(rows), 5000, "only the end of a long memory is read")
	require.Greater(t, len(rows), 2000)
}
