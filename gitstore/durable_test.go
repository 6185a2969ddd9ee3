package gitstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a ref would lead to is looked at before it moves: nothing is answered
// that cannot be made durable, because it is not there.
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
						dir := seeded(t, "--object-format="+format)
						git(t, dir, "config", "liza.fsync", fsync)
						r, ctx := open(t, dir), context.Background()
						first := ID(git(t, dir, "rev-parse", "HEAD"))
						require.NoError(t, r.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/t/1", New: first}}, "x"))
						write(t, dir, "README.new", "more\n")
						git(t, dir, "add", ".")
						git(t, dir, "commit", "-q", "-m", "second")
						git(t, dir, "rm", "-q", "README.new")
						write(t, dir, "src/new.sh", "new\n")
						git(t, dir, "add", ".")
						git(t, dir, "commit", "-q", "-m", "third")
						commit := ID(git(t, dir, "rev-parse", "HEAD"))
						id := ID(git(t, dir, "rev-parse", object))
						require.NoError(t, os.Chmod(loosePath(r.objectDir, id), 0o644))
						whole, err := os.ReadFile(loosePath(r.objectDir, id))
						require.NoError(t, err)
						damage(t, loosePath(r.objectDir, id))

						err = r.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/t/2", New: commit}}, "x")
						require.ErrorIs(t, err, ErrDamaged)
						now, err := r.Resolve(ctx, "refs/liza/saved/t/2")
						require.NoError(t, err)
						require.Empty(t, now)
						require.NoError(t, os.WriteFile(loosePath(r.objectDir, id), whole, 0o644))
						require.NoError(t, r.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/t/2", New: commit}}, "x"))
						require.Equal(t, commit, r.durable()[0])
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
	farthest, farther, near := seeded(t), filepath.Join(t.TempDir(), "farther"), filepath.Join(t.TempDir(), "near")
	git(t, farthest, "clone", "-q", "--shared", farthest, farther)
	git(t, farther, "clone", "-q", "--shared", farther, near)
	r := open(t, near)
	dirs, err := r.objectDirs()
	require.NoError(t, err)
	require.Len(t, dirs, 3)
	require.NoError(t, r.makeDurable(context.Background(), ID(git(t, near, "rev-parse", "HEAD"))))
	for i, dir := range []string{farthest, farther, near} {
		write(t, dir, "file", fmt.Sprint("text", i))
		git(t, dir, "add", ".")
		git(t, dir, "commit", "-q", "-m", "more")
		id := ID(git(t, dir, "rev-parse", "HEAD"))
		path, err := loosePathIn(dirs, id)
		require.NoError(t, err)
		require.FileExists(t, path)
		require.NoError(t, r.makeDurable(context.Background(), id))
		require.Equal(t, id, r.durable()[0])
		git(t, dir, "repack", "-q", "-a", "-d")
		require.NoFileExists(t, path)
		require.NoError(t, os.Remove(r.durableFile()))
		require.NoError(t, r.makeDurable(context.Background(), ID(git(t, farthest, "rev-parse", "HEAD"))))
		require.NoError(t, r.makeDurable(context.Background(), id))
	}
}

// Under `none` nothing is synced, nor said to be.
func TestDurableNone(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	git(t, dir, "config", "liza.fsync", "none")
	r := open(t, dir)
	require.NoError(t, r.makeDurable(context.Background(), ID(git(t, dir, "rev-parse", "HEAD"))))
	require.Empty(t, r.durable())
}

// A state that cannot be read is kept when a repair goes back from it: a rescue
// does not ask whether what it keeps is whole.
func TestRepairOfADamagedState(t *testing.T) {
	t.Parallel()
	d := newDesk(t, seeded(t))
	good := d.add("task-1").Commit
	tip := d.add("task-2").Commit
	require.NoError(t, os.Remove(loosePath(d.store.Repo.objectDir, ID(git(t, d.dir, "rev-parse", string(tip)+":tasks")))))
	d.store = d.open()
	done, err := d.store.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, good, done.Is)
	require.Equal(t, good, d.at(StateRef))
	d.add("task-2")
}
