package gitstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHousekeepingPacksEveryThousandMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, seeded(t))
	file := filepath.Join(d.dir, ".git", "liza", "unpacked")
	count := func() string {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.TrimSpace(string(data))
	}
	require.Equal(t, "root 1", count())
	first := d.add("task-1").Commit
	require.Equal(t, "root 2", count())
	require.True(t, exists(loosePath(d.store.Repo.objectDir, first)))

	write(t, d.dir, ".git/liza/unpacked", "root 999\n")
	r := d.add("task-2")
	require.True(t, r.Packed)
	require.Equal(t, string(r.Commit)+" 0", count())
	require.False(t, exists(loosePath(d.store.Repo.objectDir, first)))
	require.Equal(t, "Title of task-1", d.board().Task("task-1").Title)

	// What the file says is a hint: nothing of it can fail a move.
	for _, text := range []string{"", "x", "root x", "root -5", strings.Repeat("1", 40) + " 5000", string(r.Commit) + " 5000", "root 5000"} {
		write(t, d.dir, ".git/liza/unpacked", text)
		d.claim("task-1", coder)
		d.board()
		d.do(d.released("task-1"))
	}
	d.sound()

	// Packing that does not work is tried again a thousand moves later.
	write(t, d.dir, ".git/liza/unpacked", strings.Repeat("1", 40)+" 999")
	require.False(t, d.claim("task-1", coder).Packed)
	require.Equal(t, "root 0", count())
	git(t, d.dir, "fsck", "--no-dangling")
}
