package supervise

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// The usage of a session is recorded on its task, but does not count as progress:
// otherwise a coder that changes nothing would never be told so.
func TestWhatWasUsedIsNoProgress(t *testing.T) {
	t.Parallel()
	task := &board.Task{ID: "a", Status: board.Claimed, Claim: &board.Claim{By: "coder-1"}}
	was, err := taskSignature(task, "clean")
	require.NoError(t, err)
	later := *task
	later.Usage = board.Usage{Sessions: 1, Output: 7, Cost: 3}
	later.Changed = time.Unix(1, 0)
	is, err := taskSignature(&later, "clean")
	require.NoError(t, err)
	require.Equal(t, was, is)
	later.Intent = &board.Intent{Summary: "do it"}
	is, err = taskSignature(&later, "clean")
	require.NoError(t, err)
	require.NotEqual(t, was, is)
}

// A verdict stays one when, before the reviewer has said its last words, the
// merge has failed and the coder has the task again.
func TestAVerdictOutlivesAFailedMerge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	a := &assignment{role: board.CodeReviewer, capacity: board.Judges, task: &board.Task{ID: "a", Submissions: 1, Submission: &board.Submission{Commit: "c"},
		Judgements: []board.Judgement{{Role: board.CodeReviewer, Review: &board.Review{By: "code-reviewer-1", Since: at}}}}}
	now := board.Task{ID: "a", Status: board.Claimed, Submissions: 1, Claim: &board.Claim{By: "coder-1"}}
	require.Equal(t, lost, a.reviewerStage(&now, "code-reviewer-1"))
	now.Integration = &board.Integration{At: at.Add(-time.Minute)}
	require.Equal(t, lost, a.reviewerStage(&now, "code-reviewer-1"), "an earlier merge")
	now.Integration.At = at.Add(time.Minute)
	require.Equal(t, done, a.reviewerStage(&now, "code-reviewer-1"))
	require.False(t, a.wasRejected(&now, "code-reviewer-1"))
}
