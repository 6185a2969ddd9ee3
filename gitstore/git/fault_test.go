package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// looseFiles are all files below the object directory.
func looseFiles(t *testing.T, r *Repo) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(r.objectDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// A limit on the size of files fails the write in its middle, without mounts.
func TestWriteCutShort(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	before := looseFiles(t, open(t, dir))
	cmd := exec.Command("sh", "-c", `ulimit -f 64; exec "$0" "$@"`, os.Args[0], dir)
	cmd.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=flush")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "file too large")
	require.Equal(t, before, looseFiles(t, open(t, dir)), "not even the small object before it")
}

// Like `git gc`, remove fan-out folders whenever they are empty.
func TestFanOutFoldersVanish(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	gittest.Git(t, r.CommonDir(), "config", "liza.fsync", "none")
	done := make(chan struct{})
	var gc sync.WaitGroup
	gc.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				for i := range 256 {
					syscall.Rmdir(filepath.Join(r.objectDir, fmt.Sprintf("%02x", i)))
				}
			}
		}
	})
	o := objectsOf(t, r)
	for i := range 1000 {
		id, err := o.WriteBlob(fmt.Appendf(nil, "blob %d", i))
		require.NoError(t, err)
		require.NoError(t, o.Flush())
		_, _, err = readLoose(r.objectDir, id, 1<<20)
		require.NoError(t, err)
		require.NoError(t, os.Remove(loosePath(r.objectDir, id)))
	}
	close(done)
	gc.Wait()
}

func TestResolveBesidePackRefs(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	first, err := r.Refs.Resolve(ctx, "HEAD")
	require.NoError(t, err)
	// Enough refs, with tags that peel, for packed-refs to be searched by halving.
	var input strings.Builder
	names := []string{"refs/heads/main"}
	for i := range 3000 {
		names = append(names, fmt.Sprintf("refs/liza/saved/task-%d/1", i))
		fmt.Fprintf(&input, "create %s %s\n", names[len(names)-1], first)
	}
	_, err = r.Run(ctx, Cmd{Args: []string{"update-ref", "--stdin"}, Stdin: []byte(input.String())})
	require.NoError(t, err)
	for i := range 5 {
		gittest.Git(t, dir, "tag", "-a", "-m", "tag", fmt.Sprintf("v%d", i))
	}
	gittest.Git(t, dir, "pack-refs", "--all")
	for _, name := range names {
		id, err := r.Refs.Resolve(ctx, name)
		require.NoError(t, err)
		require.Equal(t, first, id, name)
	}
	tag, err := r.Refs.Resolve(ctx, "refs/tags/v3")
	require.NoError(t, err)
	require.Equal(t, gittest.Git(t, dir, "rev-parse", "v3"), string(tag))
	for _, name := range []string{"refs/a", "refs/liza/saved/task-1/10", "refs/zzz", "refs/liza/saved/task-1"} {
		id, err := r.Refs.Resolve(ctx, name)
		require.NoError(t, err)
		require.Empty(t, id, name)
	}

	done := make(chan error, 1)
	go func() {
		for range 20 {
			for _, args := range [][]string{{"update-ref", "refs/heads/main", string(first)}, {"pack-refs", "--all"}} {
				if _, err := r.Git(ctx, args...); err != nil {
					done <- err
					return
				}
			}
		}
		done <- nil
	}()
	for running := true; running; {
		select {
		case err := <-done:
			require.NoError(t, err)
			running = false
		default:
			id, err := r.Refs.Resolve(ctx, "refs/heads/main")
			require.NoError(t, err)
			require.Equal(t, first, id)
		}
	}
}

// A git that does not run, or finds out late that it cannot read, reads no object, and none is
// to blame for that.
func TestNoObjectIsBlamedForGit(t *testing.T) {
	t.Parallel()
	for key, value := range map[string]string{"": "", "core.fileMode": "garbage", "core.commitGraph": "perhaps", "core.multiPackIndex": "perhaps",
		"feature.manyFiles": "perhaps", "index.version": "x", "multi-pack-index": "multi-pack-index"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Seeded(t)
			if key == "multi-pack-index" {
				gittest.Git(t, dir, "repack", "-q", "-d")
				gittest.Git(t, dir, "multi-pack-index", "write")
			}
			r := open(t, dir)
			blob := ID(gittest.Git(t, dir, "hash-object", "-w", "--stdin"))
			gone := ID(strings.Repeat("a", 40))
			switch key {
			case "":
				require.NoError(t, CheckReading(t.Context(), r))
				bad, err := r.UnreadableObjects(t.Context(), []ID{blob, gone}, 2)
				require.NoError(t, err)
				require.Equal(t, map[ID]string{gone: string(gone) + " missing"}, bad)
				return
			case "multi-pack-index": // of zeros, as after a power cut
				path := filepath.Join(r.objectDir, "pack", key)
				require.NoError(t, os.Remove(path))
				require.NoError(t, os.WriteFile(path, make([]byte, 2000), 0o666))
			default:
				gittest.Git(t, dir, "config", key, value)
			}
			require.ErrorContains(t, CheckReading(t.Context(), r), value)
			bad, err := r.UnreadableObjects(t.Context(), []ID{blob, gone}, 2)
			require.ErrorContains(t, err, value)
			require.Empty(t, bad)
			torn, err := r.TornObjects(t.Context())
			require.ErrorContains(t, err, value)
			require.Empty(t, torn)
		})
	}
}

// What git cannot read is torn only if its file has something else.
func TestTornFiles(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	whole := ID(gittest.Git(t, dir, "hash-object", "-w", "--stdin"))
	require.False(t, isTorn(r, whole))
	require.False(t, isTorn(r, ID(strings.Repeat("a", 40))), "it is not there")
	text, err := os.ReadFile(loosePath(r.objectDir, whole))
	require.NoError(t, err)
	other := ID(strings.Repeat("b", 40))
	path := loosePath(r.objectDir, other)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	for _, text := range [][]byte{text, text[:len(text)-3], nil} {
		require.NoError(t, os.WriteFile(path, text, 0o666))
		require.True(t, isTorn(r, other))
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o777))
	require.False(t, isTorn(r, other), "it is no file")
}

// In a partial clone git is not asked for an object that is not there, as it would ask the
// remote. What it blames for its own trouble is read here before it is called torn.
func TestTornFilesOfPartialClone(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "remote.origin.promisor", "true")
	r := open(t, dir)
	gittest.Git(t, dir, "config", "core.commitGraph", "perhaps")
	if err := CheckReading(t.Context(), r); err != nil {
		t.Skip(err) // as git 2.55, which then reads no object at all
	}
	files, err := r.TornObjects(t.Context())
	require.NoError(t, err)
	require.Empty(t, files)
	paths := fannedOut(r.objectDir, "")
	require.NotEmpty(t, paths)
	bad, err := r.UnreadableObjects(t.Context(), []ID{ID(filepath.Base(filepath.Dir(paths[0])) + filepath.Base(paths[0]))}, 1)
	require.NoError(t, err)
	require.Len(t, bad, 1, "git reads none")
}
