package gitstore

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Where the disk fills up while moves wait, none of them lands or is lost, and they are
// made when there is room again.
func TestDiskFullForWaitingMoves(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("mounting is not permitted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	from := newDesk(t, gittest.Seeded(t))
	d := &desk{t: t, dir: filepath.Join(disk, "repo"), now: from.now}
	require.NoError(t, os.CopyFS(d.dir, os.DirFS(from.dir)))
	d.store = d.open()
	tip := d.at(layout.State)
	waiting := []waiter{d.waits(note("one")), d.waits(note("two")), d.waits(note("three"))}
	filler, err := os.Create(filepath.Join(disk, "filler"))
	require.NoError(t, err)
	for err == nil {
		_, err = filler.Write(make([]byte, 512))
	}
	require.NoError(t, filler.Close())
	require.ErrorIs(t, err, syscall.ENOSPC)

	d.moveWaiting()
	require.Equal(t, tip, d.at(layout.State))
	require.NoError(t, os.Remove(filler.Name()))
	for _, w := range waiting {
		_, err := w.raceMoves(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, "3", gittest.Git(t, d.dir, "rev-list", "--count", string(tip)+".."+layout.State))
	d.nobodyWaits()
	d.sound()
}
