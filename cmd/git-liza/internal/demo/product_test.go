package demo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/flow/board"
)

func TestTheShortPlaybookKeepsTheStory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, unpack(dir))
	read := func() *playbook.Playbook {
		data, err := os.ReadFile(filepath.Join(dir, playbook.DefaultPath))
		require.NoError(t, err)
		p, err := playbook.Parse(playbook.DefaultPath, data)
		require.NoError(t, err)
		return p
	}
	full := read()
	require.NoError(t, keepTasks(dir, func(t board.TaskInput) bool { return !t.Stretch }))
	short := read()
	require.Len(t, short.Plan, len(full.Plan)-1)
	require.Equal(t, full.Plan[:len(short.Plan)], short.Plan)
	require.Equal(t, full.Work[:len(short.Work)], short.Work)
	require.Equal(t, full.Checks, short.Checks)
}
