package work

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// A wait ends with the state in which there is something to wait for, or with
// the submission that was waited for.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	verdict := Waits[0]
	begun := &flow.Task{Status: flow.ReadyForReview, Submissions: 1}
	require.False(t, verdict.ended(begun, begun))
	require.True(t, verdict.ended(begun, &flow.Task{Status: flow.Rejected, Submissions: 1}))
	require.True(t, verdict.ended(begun, &flow.Task{Status: flow.Superseded, Submissions: 1}))
	require.True(t, verdict.ended(begun, &flow.Task{Status: flow.ReadyForReview, Submissions: 2}), "it was rejected and submitted again")
}

// An agent waits as long as anybody holds its lock; a file that nobody holds
// is none.
func TestAwaiting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.False(t, Awaiting(dir, "coder-1"), "no file")
	one, err := awaiting(dir, "coder-1")
	require.NoError(t, err)
	two, err := awaiting(dir, "coder-1")
	require.NoError(t, err)
	require.True(t, Awaiting(dir, "coder-1"))
	require.True(t, Awaiting(dir, "coder-1"), "asking takes nothing")
	require.False(t, Awaiting(dir, "coder-2"))
	one()
	require.True(t, Awaiting(dir, "coder-1"), "the other one still waits")
	two()
	require.FileExists(t, awaitPath(dir, "coder-1"))
	require.False(t, Awaiting(dir, "coder-1"), "the file of a process that is gone")
	require.NoError(t, os.Chmod(awaitPath(dir, "coder-1"), 0))
	require.False(t, Awaiting(dir, "coder-1"))
}
