package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A checkpoint that a tripped breaker began is not ended by a decision: the reset comes
// first.
func TestOnwardOfATrippedBreaker(t *testing.T) {
	t.Parallel()
	control := board.ControlState{State: board.Checkpoint}
	for tripped, want := range map[bool]string{true: "git liza board breaker reset --resolution R", false: "git liza checkpoint decide CONTINUE --message M"} {
		b := board.Open(board.Documents{}.With([]board.Edit{
			{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat, Control: control}},
			{Key: board.Key{Folder: board.BreakerDoc}, Document: &board.Breaker{Tripped: tripped}},
		}), time.Time{})
		require.Equal(t, want, control.Onward(b))
	}
}
