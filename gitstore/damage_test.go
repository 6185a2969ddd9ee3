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

// A state that cannot be read whole does not keep a repair from going back, and no
// ref keeps it afterwards: git could not pack the repository.
func TestRepairOfADamagedState(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	good := d.add("task-1").Commit
	tip := d.add("task-2").Commit
	require.NoError(t, os.Remove(loosePath(d.store.Repo.ObjectDir(), git.ID(gittest.Git(t, d.dir, "rev-parse", string(tip)+":tasks")))))
	d.store = d.open()
	done, err := d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, good, done.Is)
	require.Equal(t, good, d.at(layout.State))
	require.Equal(t, []git.ID{tip}, done.Unreadable)
	require.Empty(t, done.Kept)
	gittest.Git(t, d.dir, "gc", "-q")
	d.add("task-2")
}
