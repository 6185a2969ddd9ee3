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

// A state that cannot be read is kept when a repair goes back from it: a rescue
// does not ask whether what it keeps is whole.
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
	d.add("task-2")
}
