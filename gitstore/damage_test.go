package gitstore

import (
	"context"
	"os"
	"testing"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

// A state that cannot be read whole is made whole again from its moves, and git can pack the
// repository afterwards.
func TestRepairOfADamagedState(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	tip := d.add("task-2").Commit
	require.NoError(t, os.Remove(loosePath(d.store.Repo.ObjectDir(), git.ID(gittest.Git(t, d.dir, "rev-parse", string(tip)+":tasks")))))
	d.store = d.open()
	done, err := d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, tip, done.Is)
	require.Equal(t, tip, d.at(layout.State))
	require.Equal(t, 1, done.Remade)
	require.Empty(t, done.Dropped)
	gittest.Git(t, d.dir, "gc", "-q")
	d.add("task-3")
}
