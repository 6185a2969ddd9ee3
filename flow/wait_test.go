package flow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A wait ends with the state in which there is something to wait for, or with
// the submission that was waited for.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	verdict := WaitFor("verdict")
	begun := &board.Task{Status: board.ReadyForReview, Submissions: 1}
	require.False(t, verdict.Ended(begun, begun))
	require.True(t, verdict.Ended(begun, &board.Task{Status: board.Rejected, Submissions: 1}))
	require.True(t, verdict.Ended(begun, &board.Task{Status: board.Superseded, Submissions: 1}))
	require.True(t, verdict.Ended(begun, &board.Task{Status: board.ReadyForReview, Submissions: 2}), "it was rejected and submitted again")
}

// Nobody waits for what is not there, or for a verdict of its own.
func TestWaitsThatCannotEnd(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, board.ReadyForReview)
	_, r := WaitOver(s.board, WaitFor("verdict"), "task-9", "coder-1")
	require.NotNil(t, r)
	require.Equal(t, RuleNotFound, r.Rule)
	over, r := WaitOver(s.board, WaitFor("verdict"), "task-1", "coder-1")
	require.Nil(t, r)
	require.False(t, over)
	over, r = WaitOver(s.board, WaitFor("resubmission"), "task-1", "code-reviewer-2")
	require.Nil(t, r)
	require.True(t, over)
	_, r = WaitOver(s.board, WaitFor("resubmission"), "task-1", "code-reviewer-1")
	require.NotNil(t, r)
	require.Contains(t, r.Reason, "waits for your own verdict")
	_, r = WaitOver(sceneAt(t, board.Abandoned).board, WaitFor("merge"), "task-1", "coder-1")
	require.NotNil(t, r)
	require.Equal(t, RuleFinal, r.Rule)
	require.Contains(t, r.Reason, "there will be no merge")
}
