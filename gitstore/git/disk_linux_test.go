package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// tinyDisk mounts a file system of a few KiB at a new folder, where the
// machine permits it.
func tinyDisk(t *testing.T, kib int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skipf("mounting is not permitted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := tinyDisk(t, 600)
			gittest.Git(t, dir, "init", "-q", "--template=", "--object-format="+format)
			cmd := exec.Command(os.Args[0], dir)
			cmd.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=flush")
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, strings.ToLower(string(out)), "no space left on device")
			require.NotContains(t, string(out), "flushed")
			for _, file := range looseFiles(t, open(t, dir)) {
				require.NotContains(t, filepath.Base(file), "tmp_", "no litter")
			}
			gittest.Git(t, dir, "fsck", "--no-dangling")
		})
	}
}

func TestDiskFullForRefs(t *testing.T) {
	t.Parallel()
	dir := tinyDisk(t, 400)
	gittest.Git(t, dir, "init", "-q", "--template=", "-b", "main")
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	r := open(t, dir)
	first, err := r.Refs.Resolve(context.Background(), "HEAD")
	require.NoError(t, err)
	require.NoError(t, r.Refs.MoveRefs(context.Background(), []RefUpdate{{Name: layout.State, New: first}}, "x"))
	f, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	require.NoError(t, f.Close())
	require.ErrorIs(t, err, syscall.ENOSPC)

	err = r.Refs.MoveRefs(context.Background(), []RefUpdate{{Name: layout.State, Old: first, New: ""}, {Name: "refs/heads/new", New: first}}, "x")
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrRefMoved)
	now, err := r.Refs.Resolve(context.Background(), layout.State)
	require.NoError(t, err)
	require.Equal(t, first, now)
	require.NoError(t, os.Remove(filepath.Join(dir, "filler")))
	require.NoError(t, r.Refs.MoveRefs(context.Background(), []RefUpdate{{Name: layout.State, Old: first}, {Name: "refs/heads/new", New: first}}, "x"))
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir := tinyDisk(t, 4096)
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	for _, name := range []string{"ours", "theirs"} {
		gittest.Git(t, dir, "checkout", "-q", "-b", name, "main")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666))
		gittest.Git(t, dir, "add", "-A")
		gittest.Git(t, dir, "commit", "-q", "-m", name)
	}
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	ctx, r := context.Background(), open(t, dir)
	first, err := r.Refs.Resolve(ctx, "refs/heads/ours")
	require.NoError(t, err)
	other, err := r.Refs.Resolve(ctx, "refs/heads/theirs")
	require.NoError(t, err)
	o := objectsOf(t, r)
	_, err = o.Commit(first)
	require.NoError(t, err)

	_, err = o.WriteBlob([]byte("x"))
	require.NoError(t, err)
	require.ErrorIs(t, o.Flush(), syscall.EROFS)
	_, err = r.Turns.Queue(ctx)
	require.ErrorIs(t, err, syscall.EROFS)
	require.ErrorIs(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: layout.State, New: first}}, "x"), syscall.EROFS)
	_, err = r.Merger.Merge(ctx, first, other)
	require.ErrorContains(t, err, "Read-only file system")
}
