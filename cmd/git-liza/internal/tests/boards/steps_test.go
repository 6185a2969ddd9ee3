package boards

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/internal/torture"
)

// The moves of every golden board, read all at once, changed what a comparison of the
// trees of each move says, and lead to the states that the board has. What is counted of
// them does not depend on how often the counts were kept on the way.
func TestStepsOfGoldenBoards(t *testing.T) { stepsOfGolden(t, 13) }

// So it is for each move.
func TestTortureStepsOfGoldenBoards(t *testing.T) {
	torture.OnlyThorough(t)
	stepsOfGolden(t, 1)
}

// stepsOfGolden reads every so many moves alone, too.
func stepsOfGolden(t *testing.T, every int) {
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		store, _, _ := openBoard(t, dir)
		var all []gitstore.Step
		add := func(s gitstore.Step) error { all = append(all, s); return nil }
		require.NoError(t, store.Steps(context.Background(), "", g.tip, add))
		require.Len(t, all, g.moves)
		status := map[board.TaskID]board.Status{}
		one, kept := &metrics.Counts{}, &metrics.Counts{}
		for i, s := range all {
			if i%every == 0 {
				require.NoError(t, store.Steps(context.Background(), s.Parent, s.Commit, func(near gitstore.Step) error {
					require.Equal(t, near, s, "move %d", i+1)
					return nil
				}))
			}
			for _, changed := range s.Tasks {
				require.Equal(t, status[changed.ID], changed.From, "%s at move %d", changed.ID, i+1)
				status[changed.ID] = changed.To
			}
			one.Add(s)
			kept.Add(s)
			if i%50 == 0 {
				var err error
				kept, err = metrics.Decode(kept.Encode())
				require.NoError(t, err)
			}
		}
		b, err := store.BoardAt(g.tip)
		require.NoError(t, err)
		for id, is := range status {
			require.Equal(t, b.Task(id).Status, is, id)
		}
		for _, by := range []metrics.By{metrics.ByAgent, metrics.BySprint, metrics.ByTask} {
			require.Equal(t, one.Report(metrics.Ask{By: by}), kept.Report(metrics.Ask{By: by}))
		}
		used := board.Usage{}
		for _, id := range b.IDs(board.Goals) {
			used = used.Plus(b.Goal(board.GoalID(id)).Usage)
			require.Equal(t, b.Goal(board.GoalID(id)).Usage, one.Report(metrics.Ask{Goal: board.GoalID(id)}).Usage, id)
		}
		require.Equal(t, used, one.Report(metrics.Ask{}).Usage)
		for _, row := range one.Report(metrics.Ask{By: metrics.BySprint}).Rows {
			if s := b.Sprint(board.SprintID(row.Name)); s != nil {
				require.Equal(t, s.Usage, row.Usage, s.ID)
			}
		}
		require.NoError(t, b.Err())
	})
}
