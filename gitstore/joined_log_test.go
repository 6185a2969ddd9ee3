package gitstore

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// The last of several moves that share a transaction cannot be read: a repair goes back to
// the one before it, which only the message of the reflog names.
func TestRepairFindsMovesThatSharedATransaction(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t, gittest.Seeded(t))
	list := []waiter{d.waits(note("one")), d.waits(note("two")), d.waits(note("three"))}
	d.moveWaiting()
	require.NoError(t, os.Remove(loosePath(d.store.Repo.ObjectDir(), list[2].Commit)))
	d.store = d.open()
	r, err := d.store.Repairer.Repair(ctx)
	require.NoError(t, err)
	require.Equal(t, list[1].Commit, r.Is)
	require.Equal(t, list[1].Commit, d.at(layout.State))
	require.Equal(t, 1, r.Count)
	require.Contains(t, r.Dropped[0].Subject, list[2].Move.Subject())
	d.sound()
	gittest.Git(t, d.dir, "gc", "-q")
}

func TestEachMoveOfAReflog(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	id := func(n int) git.ID { return git.ID(strings.Repeat(strconv.Itoa(n), 40)) }
	log := func(message string) []git.ReflogLine {
		return []git.ReflogLine{{Old: id(1), New: id(3), Message: message}}
	}
	for _, message := range []string{"", "liza: note", "liza: moves ", "liza: moves x, the last is y", "liza: moves " + string(id(2)) + ", the last is y", "liza: moves " + string(id(3))} {
		require.Equal(t, log(message), d.store.Repairer.eachMove(log(message)), message)
	}
	require.Equal(t, []git.ReflogLine{{Old: id(2), New: id(3), Message: "liza: y, the last is z"}, {Old: id(1), New: id(2)}},
		d.store.Repairer.eachMove(log(fmt.Sprintf("liza: moves %s %s, the last is y, the last is z", id(2), id(3)))))
}
