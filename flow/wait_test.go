package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A wait ends with the state in which there is something to wait for, or with
// the submission that was waited for.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	verdict := WaitFor("verdict")
	begun := &Task{Status: ReadyForReview, Submissions: 1}
	require.False(t, verdict.Ended(begun, begun))
	require.True(t, verdict.Ended(begun, &Task{Status: Rejected, Submissions: 1}))
	require.True(t, verdict.Ended(begun, &Task{Status: Superseded, Submissions: 1}))
	require.True(t, verdict.Ended(begun, &Task{Status: ReadyForReview, Submissions: 2}), "it was rejected and submitted again")
}
