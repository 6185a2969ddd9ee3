package view

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A checkpoint has what was said since the one before it, also where a goal's full lists
// have lost what was said first.
func TestCheckpointsOfLongGoals(t *testing.T) {
	t.Parallel()
	goalAfter := func(said int) *board.Board {
		g := *goalOne
		for n := max(0, said-board.MaxList); n < said; n++ {
			at := noon.Add(time.Duration(n/2) * time.Second)
			g.Changes = append(g.Changes, board.Change{Spec: "specs/vision.md", Change: fmt.Sprint("change ", n), At: at})
			g.Alignment = append(g.Alignment, board.Alignment{Text: fmt.Sprint("text ", n), At: at})
		}
		return boardOf(&g)
	}
	for _, test := range []struct{ before, after int }{{0, 3}, {3, 3}, {3, 5}, {49, 52}, {50, 50}, {50, 51}, {70, 75}, {60, 110}} {
		c := NewCheckpoint("checkpoint-2", goalAfter(test.before), goalAfter(test.after), nil)
		require.Len(t, c.Changes, test.after-test.before, test)
		require.Len(t, c.Alignment, test.after-test.before, test)
		if len(c.Changes) > 0 {
			require.Equal(t, fmt.Sprint("change ", test.before), c.Changes[0].Find("change"))
			require.Equal(t, fmt.Sprint("text ", test.before), c.Alignment[0].Find("text"))
		}
	}
	require.Len(t, NewCheckpoint("checkpoint-2", goalAfter(60), goalAfter(200), nil).Changes, board.MaxList)
	require.Len(t, NewCheckpoint("checkpoint-1", nil, goalAfter(60), nil).Changes, board.MaxList)
}
