package gitstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestHousekeepingPacksEveryThousandMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	file := filepath.Join(d.dir, ".git", "liza", "unpacked")
	count := func() string {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.TrimSpace(string(data))
	}
	require.Equal(t, "root 1", count())
	first := d.add("task-1").Commit
	require.Equal(t, "root 2", count())
	require.True(t, exists(loosePath(d.store.Repo.ObjectDir(), first)))

	gittest.Write(t, d.dir, ".git/liza/unpacked", "root 999\n")
	r := d.add("task-2")
	require.Equal(t, string(r.Commit)+" 0", count())
	require.False(t, exists(loosePath(d.store.Repo.ObjectDir(), first)))
	require.Equal(t, "Title of task-1", d.board().Task("task-1").Title)

	// The file is a hint, so no content of it makes a move fail.
	for _, text := range []string{"", "x", "root x", "root -5", strings.Repeat("1", 40) + " 5000", string(r.Commit) + " 5000", "root 5000"} {
		gittest.Write(t, d.dir, ".git/liza/unpacked", text)
		d.claim("task-1", coder)
		d.board()
		d.do(d.released("task-1"))
	}
	d.sound()

	// Packing that does not work is tried again a thousand moves later.
	gittest.Write(t, d.dir, ".git/liza/unpacked", strings.Repeat("1", 40)+" 999")
	d.claim("task-1", coder)
	require.Equal(t, "root 0", count())
	gittest.Git(t, d.dir, "fsck", "--no-dangling")
}

// Where a process can be started for the pack no command waits for it; one that
// comes while another packs does nothing.
func TestHousekeepingInTheBackground(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	file := filepath.Join(d.dir, ".git", "liza", "unpacked")
	first := d.add("task-1").Commit
	var started []string
	d.store.Repo.Background = func(args ...string) error {
		started = args
		return nil
	}
	gittest.Write(t, d.dir, ".git/liza/unpacked", "root 999\n")
	r := d.add("task-2")
	require.Equal(t, []string{"housekeep", "root", string(r.Commit)}, started)
	require.True(t, exists(loosePath(d.store.Repo.ObjectDir(), first)), "nothing is packed yet")
	d.add("task-3")

	lock, err := git.OpenLock(d.store.Repo.CommonDir(), "pack.lock")
	require.NoError(t, err)
	require.NoError(t, git.TryLock(lock))
	require.NoError(t, d.store.Packer.Housekeep(t.Context(), started[1], started[2]))
	require.True(t, exists(loosePath(d.store.Repo.ObjectDir(), first)), "somebody else is at it")
	require.NoError(t, lock.Close())

	require.NoError(t, d.store.Packer.Housekeep(t.Context(), started[1], started[2]))
	require.False(t, exists(loosePath(d.store.Repo.ObjectDir(), first)))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(r.Commit)+" 1\n", string(data), "the move that came meanwhile counts")

	// Where none can be started the pack is made at once.
	d.store.Repo.Background = func(...string) error { return os.ErrPermission }
	gittest.Write(t, d.dir, ".git/liza/unpacked", started[2]+" 999\n")
	last := d.add("task-4").Commit
	require.False(t, exists(loosePath(d.store.Repo.ObjectDir(), last)))
	d.sound()
}
