package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A task of version 1 comes back as it was, and the rules see its review,
// verdict and rejection as those of code-reviewers.
func TestTaskFormsOfVersion1(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		task := drawTask1(rt)
		stored := dumped(task)
		loaded := Loaded(task).(*Task)
		own := loaded.Judgement(CodeReviewer)
		require.Equal(rt, own.Review, loaded.Review())
		require.Equal(rt, own.Rejection, loaded.Rejection())
		require.Nil(rt, loaded.Review1)
		require.Nil(rt, loaded.Verdict1)
		require.Nil(rt, loaded.Rejection1)
		require.Zero(rt, loaded.NoVerdicts1)
		require.Equal(rt, loaded.Submission != nil && loaded.holds(own.Verdict), loaded.Judged())
		is := dumped(loaded)
		require.Equal(rt, is, dumped(Loaded(loaded)), "it is not idempotent")
		require.Equal(rt, stored, dumped(Stored(loaded, 1)))
		require.Equal(rt, is, dumped(loaded), "Stored changed the document")
		require.Same(rt, loaded, Stored(loaded, 2))
	})
}

// drawTask1 is a task as documents of version 1 hold it.
func drawTask1(t *rapid.T) *Task {
	at := func() time.Time { return dawn.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "at")) * time.Minute) }
	task := &Task{ID: "a", Status: rapid.SampledFrom(Statuses()).Draw(t, "status"), NoVerdicts1: rapid.IntRange(0, 2).Draw(t, "lost")}
	if rapid.Bool().Draw(t, "submitted") {
		task.Submission = &Submission{Number: 1, Commit: object("c")}
	}
	if rapid.Bool().Draw(t, "reviewed") {
		task.Review1 = &Review{By: rapid.SampledFrom([]Actor{"code-reviewer-1", "human:ann"}).Draw(t, "by"), Since: at(), Lease: at()}
	}
	if rapid.Bool().Draw(t, "approved") {
		task.Verdict1 = &Verdict{Commit: object(rapid.SampledFrom([]string{"c", "d"}).Draw(t, "commit")), By: "human:ann", At: at()}
	}
	if rapid.Bool().Draw(t, "rejected") {
		task.Rejection1 = &Rejection{Commit: object("c"), By: "code-reviewer-1", Blockers: []Finding{{Issue: "leak"}}, At: at()}
	}
	return task
}

// The form of version 1 has no place for what another role holds of a task, so it
// stays where the encoder refuses it.
func TestStoredHidesNothing(t *testing.T) {
	t.Parallel()
	task := &Task{ID: "a"}
	task.judge(Planner, func(j *Judgement) { j.NoVerdicts = 1 })
	require.Equal(t, 1, Stored(task, 1).(*Task).Judgement(Planner).NoVerdicts)
}

func TestJudgements(t *testing.T) {
	t.Parallel()
	task := &Task{Submission: &Submission{Commit: object("c"), Reviews: []Role{Planner, CodeReviewer}}}
	copy := task.clone()
	early, late := &Verdict{Commit: object("c"), At: dawn}, &Verdict{Commit: object("c"), At: dawn.Add(time.Second)}
	copy.judge(Planner, func(j *Judgement) { j.Verdict = early })
	require.Empty(t, task.Judgements, "a copy changes the original")
	require.Equal(t, []Role{CodeReviewer}, copy.Missing())
	require.False(t, copy.Judged())
	copy.judge(CodeReviewer, func(j *Judgement) { j.Verdict = late })
	require.Equal(t, CodeReviewer, copy.Judgements[0].Role, "they are sorted by role")
	require.Same(t, late, copy.Verdict())
	require.True(t, copy.Judged())
	copy.judge(CodeReviewer, func(j *Judgement) { j.Verdict = &Verdict{Commit: object("d")} })
	require.Equal(t, []Role{CodeReviewer}, copy.Missing(), "a verdict on another commit counts")
	require.Same(t, early, copy.Verdict())
	copy.judgeAll(func(j *Judgement) { j.Verdict = nil })
	require.Nil(t, copy.Judgements, "judgements that say nothing stay")

	copy.judge(Planner, func(j *Judgement) { j.Rejection = &Rejection{Blockers: []Finding{{Issue: "one"}}} })
	copy.judge(CodeReviewer, func(j *Judgement) { j.Rejection = &Rejection{Blockers: []Finding{{Issue: "two"}}} })
	copy.RejectedBy = Planner
	require.Equal(t, []Finding{{Issue: "one"}, {Issue: "two"}}, copy.Blockers())
	require.Equal(t, "one", copy.Rejection().Blockers[0].Issue)
	require.False(t, (&Task{Submission: &Submission{}}).Judged(), "nobody judged it")
}
