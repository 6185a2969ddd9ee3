package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// A checkpoint that a tripped breaker began is not ended by a decision: the reset comes
// first.
func TestOnwardOfATrippedBreaker(t *testing.T) {
	t.Parallel()
	control := flow.ControlState{State: flow.Checkpoint}
	for tripped, want := range map[bool]string{true: "git liza board breaker reset --resolution R", false: "git liza checkpoint decide CONTINUE --message M"} {
		b := flow.Open(flow.Documents{}.With([]flow.Edit{
			{Key: flow.Key{Folder: flow.SettingsDoc}, Document: &flow.Settings{Format: flow.NewestFormat, Control: control}},
			{Key: flow.Key{Folder: flow.BreakerDoc}, Document: &flow.Breaker{Tripped: tripped}},
		}), time.Time{})
		require.Equal(t, want, control.Onward(b))
	}
}
