package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Whatever a session has done to the ref of the board, or to what it leads to, the
// board is one that can be read again.
func TestReclaimUnreadable(t *testing.T) {
	t.Parallel()
	write := func(content string) func(*testing.T, *desk, git.ID) {
		return func(t *testing.T, d *desk, _ git.ID) {
			require.NoError(t, os.WriteFile(filepath.Join(d.store.Repo.CommonDir(), layout.State), []byte(content), 0o666))
		}
	}
	object := func(d *desk, name string) string {
		return loosePath(d.store.Repo.ObjectDir(), git.ID(gittest.Git(t, d.dir, "rev-parse", name)))
	}
	for name, test := range map[string]struct {
		damage func(t *testing.T, d *desk, tip git.ID)
		same   bool // the board is at the tip again
	}{
		"an empty ref":              {write(""), true},
		"a ref without an id":       {write("hello\n"), true},
		"an id that nothing has":    {write("1234567890123456789012345678901234567890\n"), true},
		"a symbolic ref to nothing": {write("ref: refs/heads/nowhere\n"), true},
		"a symbolic ref to a branch": {func(t *testing.T, d *desk, tip git.ID) {
			gittest.Git(t, d.dir, "update-ref", "refs/heads/elsewhere", string(tip))
			gittest.Git(t, d.dir, "symbolic-ref", layout.State, "refs/heads/elsewhere")
		}, true},
		"the tip is gone": {func(t *testing.T, d *desk, tip git.ID) { require.NoError(t, os.Remove(object(d, string(tip)))) }, false},
		"its tree is gone": {func(t *testing.T, d *desk, tip git.ID) {
			require.NoError(t, os.Remove(object(d, string(tip)+"^{tree}")))
		}, true}, // it follows from the move
		"its tasks are gone": {func(t *testing.T, d *desk, tip git.ID) {
			require.NoError(t, os.Remove(object(d, string(tip)+":tasks")))
		}, true},
		"the tip is torn": {func(t *testing.T, d *desk, tip git.ID) {
			path := object(d, string(tip))
			require.NoError(t, os.Chmod(path, 0o666))
			require.NoError(t, os.Truncate(path, 20))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, gittest.Seeded(t))
			good := d.add("task-1").Commit
			tip := d.add("task-2").Commit
			test.damage(t, d, tip)
			if name != "its tree is gone" { // the process may have read it before
				d.store = d.open()
			}
			_, err := d.store.Repairer.Reclaim(context.Background(), good)
			require.NoError(t, err)
			d.store = d.open()
			want := good
			if test.same {
				want = tip
			}
			require.Equal(t, want, d.at(layout.State))
			symbolic, err := d.store.Repo.Refs.SymbolicRef(t.Context(), layout.State)
			require.NoError(t, err)
			require.Empty(t, symbolic, "a branch that anybody may delete")
			b, _, err := d.store.Board(context.Background())
			require.NoError(t, err)
			require.NoError(t, flow.Check(b))
			d.add("task-3")
		})
	}
}
