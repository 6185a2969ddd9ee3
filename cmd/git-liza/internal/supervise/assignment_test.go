package supervise

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// The usage of a session is recorded on its task, but does not count as progress:
// otherwise a coder that changes nothing would never be told so.
func TestWhatWasUsedIsNoProgress(t *testing.T) {
	t.Parallel()
	task := &flow.Task{ID: "a", Status: flow.Claimed, Claim: &flow.Claim{By: "coder-1"}}
	was, err := taskSignature(task, "clean")
	require.NoError(t, err)
	later := *task
	later.Usage = flow.Usage{Sessions: 1, Output: 7, Cost: 3}
	later.Changed = time.Unix(1, 0)
	is, err := taskSignature(&later, "clean")
	require.NoError(t, err)
	require.Equal(t, was, is)
	later.Intent = &flow.Intent{Summary: "do it"}
	is, err = taskSignature(&later, "clean")
	require.NoError(t, err)
	require.NotEqual(t, was, is)
}

// A verdict stays one when, before the reviewer has said its last words, the
// merge has failed and the coder has the task again.
func TestAVerdictOutlivesAFailedMerge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	a := &assignment{role: flow.CodeReviewer, capacity: flow.Judges, task: &flow.Task{ID: "a", Submissions: 1, Submission: &flow.Submission{Commit: "c"},
		Judgements: []flow.Judgement{{Role: flow.CodeReviewer, Review: &flow.Review{By: "code-reviewer-1", Since: at}}}}}
	now := flow.Task{ID: "a", Status: flow.Claimed, Submissions: 1, Claim: &flow.Claim{By: "coder-1"}}
	require.Equal(t, lost, a.reviewerStage(&now, "code-reviewer-1"))
	now.Integration = &flow.Integration{At: at.Add(-time.Minute)}
	require.Equal(t, lost, a.reviewerStage(&now, "code-reviewer-1"), "an earlier merge")
	now.Integration.At = at.Add(time.Minute)
	require.Equal(t, done, a.reviewerStage(&now, "code-reviewer-1"))
	require.False(t, a.wasRejected(&now, "code-reviewer-1"))
}
