package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestHousekeepingPacksAfterFiveHundredMoves(t *testing.T) {
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

	gittest.Write(t, d.dir, ".git/liza/unpacked", "root 499\n")
	r := d.add("task-2")
	require.Equal(t, "root 0", count())
	require.True(t, exists(loosePath(d.store.Repo.ObjectDir(), first)), "too few objects for a pack")

	d.addMany(250)
	gittest.Write(t, d.dir, ".git/liza/unpacked", "root 499\n")
	r = d.add("task-3")
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

	// Packing that does not work is tried again five hundred moves later.
	gittest.Write(t, d.dir, ".git/liza/unpacked", strings.Repeat("1", 40)+" 499")
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
	d.addMany(250)
	var started []string
	d.store.Repo.Background = func(args ...string) error {
		started = args
		return nil
	}
	gittest.Write(t, d.dir, ".git/liza/unpacked", "root 499\n")
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
	d.addMany(250)
	gittest.Write(t, d.dir, ".git/liza/unpacked", started[2]+" 499\n")
	last := d.add("task-4").Commit
	require.False(t, exists(loosePath(d.store.Repo.ObjectDir(), last)))
	d.sound()
}

// addMany makes a move that leaves about twice n objects.
func (d *desk) addMany(n int) {
	d.t.Helper()
	for n > 0 {
		var ids []board.TaskID
		for ; n > 0 && len(ids) < 50; n-- {
			d.made++
			ids = append(ids, board.TaskID(fmt.Sprintf("many-%d", d.made)))
		}
		d.add(ids...)
	}
}

// Whatever else lies in files of its own counts too, before git's own limit is reached.
func TestHousekeepingLooksAtLooseObjects(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	started := 0
	d.store.Repo.Background = func(...string) error {
		started++
		return nil
	}
	after := func(moves string) int {
		started = 0
		gittest.Write(t, d.dir, ".git/liza/unpacked", "root "+moves+"\n")
		d.addMany(1)
		return started
	}
	require.Zero(t, after("99"))
	for i := range 14 { // git takes that for 14 * 256 objects
		gittest.Write(t, d.dir, fmt.Sprintf(".git/objects/17/%038x", i), "")
	}
	require.Zero(t, after("99"), "of so many 600 are of moves, and a pack of these would be no help")
	require.Zero(t, after("198"), "it looks every hundred moves")
	require.Equal(t, 1, after("199"))
	require.Equal(t, 1, after("299"))
	gittest.Git(t, d.dir, "config", "gc.auto", "9000")
	background := d.store.Repo.Background
	d.store = d.open()
	d.store.Repo.Background = background
	require.Zero(t, after("199"), "the user's limit counts")
}

// The moves that a mirror fetches count as well, and come as files of their own.
func TestHousekeepingOfAMirror(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.b.addMany(150)
	gittest.Write(t, l.a.dir, ".git/liza/unpacked", "root 498\n")
	var started []string
	l.a.store.Repo.Background = func(args ...string) error {
		started = args
		return nil
	}
	sync := func() {
		_, err := l.a.store.Mirror.Sync(t.Context())
		require.NoError(t, err)
	}
	sync()
	tip := l.a.at(layout.State)
	require.Equal(t, []string{"housekeep", "root", string(tip)}, started)
	started = nil
	sync()
	require.Empty(t, started, "nothing new came")
	require.True(t, exists(loosePath(l.a.store.Repo.ObjectDir(), tip)))
	l.b.addMany(150)
	sync()
	require.NoError(t, l.a.store.Packer.Housekeep(t.Context(), "root", string(l.a.at(layout.State))))
	require.False(t, exists(loosePath(l.a.store.Repo.ObjectDir(), tip)))
	l.a.sound()
}
