package supervise

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// What a session used is recorded on its task, and is no progress: a coder that
// changes nothing would never be told so.
func TestWhatWasUsedIsNoProgress(t *testing.T) {
	t.Parallel()
	task := &flow.Task{ID: "a", Status: flow.Claimed, Claim: &flow.Claim{By: "coder-1"}}
	was, err := signature(task, "clean")
	require.NoError(t, err)
	later := *task
	later.Usage = flow.Usage{Sessions: 1, Output: 7, Cost: 3}
	later.Changed = time.Unix(1, 0)
	is, err := signature(&later, "clean")
	require.NoError(t, err)
	require.Equal(t, was, is)
	later.Intent = &flow.Intent{Summary: "do it"}
	is, err = signature(&later, "clean")
	require.NoError(t, err)
	require.NotEqual(t, was, is)
}
