package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A ref does not move to a commit whose objects cannot be made durable because they
// are missing or empty.
func TestDamagedIsNotMoved(t *testing.T) {
	t.Parallel()
	damages := map[string]func(*testing.T, string){
		"gone":  func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"empty": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
	}
	for _, fsync := range []string{fsyncBatch, fsyncAll} {
		for _, format := range []string{"sha1", "sha256"} {
			for what, damage := range damages {
				for _, object := range []string{"HEAD:src/new.sh", "HEAD:src", "HEAD^{tree}", "HEAD~1:README.new"} {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", fsync, format, what, object), func(t *testing.T) {
						t.Parallel()
						dir := gittest.Seeded(t, "--object-format="+format)
						gittest.Git(t, dir, "config", "liza.fsync", fsync)
						r, ctx := open(t, dir), context.Background()
						first := ID(gittest.Git(t, dir, "rev-parse", "HEAD"))
						require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/t/1", New: first}}, "x"))
						gittest.Write(t, dir, "README.new", "more\n")
						gittest.Git(t, dir, "add", ".")
						gittest.Git(t, dir, "commit", "-q", "-m", "second")
						gittest.Git(t, dir, "rm", "-q", "README.new")
						gittest.Write(t, dir, "src/new.sh", "new\n")
						gittest.Git(t, dir, "add", ".")
						gittest.Git(t, dir, "commit", "-q", "-m", "third")
						commit := ID(gittest.Git(t, dir, "rev-parse", "HEAD"))
						id := ID(gittest.Git(t, dir, "rev-parse", object))
						require.NoError(t, os.Chmod(loosePath(r.objectDir, id), 0o644))
						whole, err := os.ReadFile(loosePath(r.objectDir, id))
						require.NoError(t, err)
						damage(t, loosePath(r.objectDir, id))

						err = r.Refs.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/t/2", New: commit}}, "x")
						require.ErrorIs(t, err, ErrDamaged)
						now, err := r.Refs.Resolve(ctx, "refs/liza/saved/t/2")
						require.NoError(t, err)
						require.Empty(t, now)
						require.NoError(t, os.WriteFile(loosePath(r.objectDir, id), whole, 0o644))
						require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/t/2", New: commit}}, "x"))
						require.Equal(t, commit, r.Flusher.durableCommits()[0])
					})
				}
			}
		}
	}
}

// Objects in the folder of another repository are found there, also in one
// that the other one borrows from in turn, and when they are packed.
func TestDurableElsewhere(t *testing.T) {
	t.Parallel()
	farthest, farther, near := gittest.Seeded(t), filepath.Join(t.TempDir(), "farther"), filepath.Join(t.TempDir(), "near")
	gittest.Git(t, farthest, "clone", "-q", "--shared", farthest, farther)
	gittest.Git(t, farther, "clone", "-q", "--shared", farther, near)
	r := open(t, near)
	dirs, err := r.objectDirs()
	require.NoError(t, err)
	require.Len(t, dirs, 3)
	require.NoError(t, r.Flusher.MakeDurable(context.Background(), ID(gittest.Git(t, near, "rev-parse", "HEAD"))))
	for i, dir := range []string{farthest, farther, near} {
		gittest.Write(t, dir, "file", fmt.Sprint("text", i))
		gittest.Git(t, dir, "add", ".")
		gittest.Git(t, dir, "commit", "-q", "-m", "more")
		id := ID(gittest.Git(t, dir, "rev-parse", "HEAD"))
		path, err := loosePathIn(dirs, id)
		require.NoError(t, err)
		require.FileExists(t, path)
		require.NoError(t, r.Flusher.MakeDurable(context.Background(), id))
		require.Equal(t, id, r.Flusher.durableCommits()[0])
		gittest.Git(t, dir, "repack", "-q", "-a", "-d")
		require.NoFileExists(t, path)
		require.NoError(t, os.Remove(r.Flusher.durableFile()))
		require.NoError(t, r.Flusher.MakeDurable(context.Background(), ID(gittest.Git(t, farthest, "rev-parse", "HEAD"))))
		require.NoError(t, r.Flusher.MakeDurable(context.Background(), id))
	}
}

// Under `none` nothing is synced, nor said to be.
func TestDurableNone(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "liza.fsync", "none")
	r := open(t, dir)
	require.NoError(t, r.Flusher.MakeDurable(context.Background(), ID(gittest.Git(t, dir, "rev-parse", "HEAD"))))
	require.Empty(t, r.Flusher.durableCommits())
}
