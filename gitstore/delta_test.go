package gitstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A delta has the moves and the documents that lie between two states, whatever lies
// beside them.
func TestDelta(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	first := d.add("task-1", "task-2").Commit
	d.now = d.now.Add(time.Hour)
	claimed := d.claim("task-1", coder).Commit
	released := d.do(d.released("task-1")).Commit

	found, err := d.store.Delta(first, released)
	require.NoError(t, err)
	require.False(t, found.Whole)
	require.Equal(t, []git.ID{claimed, released}, []git.ID{found.Events[0].Commit, found.Events[1].Commit})
	require.Contains(t, found.Keys, board.Key{Folder: board.Tasks, ID: "task-1"})
	require.Contains(t, found.Keys, board.Key{Folder: board.Agents, ID: "coder-1"})
	require.NotContains(t, found.Keys, board.Key{Folder: board.Tasks, ID: "task-2"})

	found, err = d.store.Delta(released, released)
	require.NoError(t, err)
	require.Equal(t, Delta{From: released, To: released}, found)
	for name, from := range map[string]git.ID{"nothing": "", "a later state": released} {
		found, err = d.store.Delta(from, claimed)
		require.NoError(t, err, name)
		require.True(t, found.Whole, name)
		require.Empty(t, found.Keys, name)
		require.Equal(t, claimed, found.Events[len(found.Events)-1].Commit, name)
	}
}

// Who is too far behind reads the board anew.
func TestDeltaOfManyMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	first := d.at(layout.State)
	var after []git.ID
	for n := range mostEvents + 1 {
		after = append(after, d.do(flow.Move{Act: board.ActNote, By: ann, Detail: &flow.NoteMove{For: "all", Text: fmt.Sprint(n)}}).Commit)
	}
	near, err := d.store.Delta(first, after[mostEvents-1])
	require.NoError(t, err)
	require.False(t, near.Whole)
	require.Len(t, near.Events, mostEvents)
	far, err := d.store.Delta(first, after[mostEvents])
	require.NoError(t, err)
	require.True(t, far.Whole)
	require.Len(t, far.Events, mostEvents)
	require.Equal(t, after[1], far.Events[0].Commit)
}
