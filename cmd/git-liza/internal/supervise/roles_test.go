package supervise_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

const security board.Role = "security-reviewer"

func judge(role board.Role, p provider.Provider) supervise.Slot {
	return supervise.Slot{Role: role, Provider: p}
}

// Two roles judge a submission side by side, each in a checkout of its own, and
// it is merged when both have approved.
func TestRushOfTwoJudgingRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.liza("role", "require", "security-reviewer")
	// Neither approves task-1 before the other one reviews it too.
	approve := w.agent(`test $LIZA_CAPACITY = judges
pwd > "$notes/dir-$LIZA_ROLE-$LIZA_TASK"
if test $LIZA_TASK = task-1; then waitfor dir-code-reviewer-task-1; waitfor dir-security-reviewer-task-1; fi
approve`)
	r, err := w.rush(coder(w.agent(`test $LIZA_CAPACITY = does; submit`)), reviewer(approve), judge(security, approve))
	require.NoError(t, err, r.said())
	for _, s := range w.board().Tasks() {
		require.Equal(t, board.Merged, s.Status, s.ID)
	}
	given := map[board.TaskID][]board.Role{}
	for _, m := range w.moves(board.ActApprove) {
		given[m.Task] = append(given[m.Task], m.By.Role())
	}
	both := []board.Role{board.CodeReviewer, security}
	require.ElementsMatch(t, both, given["task-1"])
	require.ElementsMatch(t, both, given["task-2"])
	require.Contains(t, w.note("dir-code-reviewer-task-1"), "/review@task-1@1\n")
	require.Contains(t, w.note("dir-security-reviewer-task-1"), "/review@task-1@1@security-reviewer\n")
	require.Contains(t, w.note("prompt-security-reviewer-1-1"), "You are security-reviewer-1.")
	require.Regexp(t, `(?m)^task-1 approved by (code|security)-reviewer-1, misses the verdict of (code|security)-reviewer$`, r.said())
	require.NotContains(t, r.said(), "no longer its own")
	require.NotContains(t, r.said(), "without a verdict")
	require.Empty(t, w.moves(board.ActRelease))
	require.Empty(t, w.moves(board.ActAnomaly))
	w.left()
	require.NotContains(t, w.git("worktree", "list"), ".worktrees")
}

// The first rejection ends the session of the other role. It counts nothing,
// and the role judges the next submission.
func TestRushEndsARound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("role", "require", "security-reviewer")
	reject := w.agent(`if test $n = 1; then waitfor pid
	git liza reject $LIZA_TASK --commit $LIZA_REVIEW_COMMIT --reason "- [blocker] $LIZA_TASK.txt:1 — it leaks"
else approve; fi`)
	slow := w.agent(`if test $n = 1; then echo $$ > "$notes/pid.new"; mv "$notes/pid.new" "$notes/pid"; waitfor never
else git worktree list > "$notes/trees"; approve; fi`)
	r, err := w.rush(coder(w.agent("submit")), reviewer(slow), judge(security, reject))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	w.gone("pid")
	require.Contains(t, r.said(), "code-reviewer-1: the review of task-1 has ended, because security-reviewer-1 rejected task-1; the session was ended\n")
	require.NotContains(t, r.said(), "no longer its own")
	require.NotContains(t, r.said(), "without a verdict")
	require.Empty(t, w.moves(board.ActRelease), "nothing is given back, and nothing counts against a limit")
	require.Len(t, w.moves(board.ActReview), 4)
	require.NotContains(t, w.note("trees"), "review@task-1@1", "the checkouts of the round are gone")
	w.left()
}

// A slot with one assignment does not fail because another role was faster.
func TestRoundThatEndedIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("role", "require", "security-reviewer")
	_, err := w.rush(coder(w.agent("submit")))
	require.Error(t, err, "nobody judges")
	slot := reviewer(w.agent(`: > "$notes/reviewing"; waitfor never`))
	slot.Once = true
	r := w.begin(nil, slot)
	w.await("the review", func() bool { return w.has("reviewing") })
	commit := string(w.task("task-1").Submission.Commit)
	w.liza("reject", "task-1", "--commit", commit, "--reason", "- [blocker] task-1.txt:1 — no")
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, r.said(), "has ended, because human:ann-example rejected task-1")
	require.Equal(t, 0, w.task("task-1").Judgement(board.CodeReviewer).NoVerdicts)
	w.left()
}

// A rush says when it begins, and again when it is stuck, that no agent here can
// judge a task.
func TestRoleThatNobodyHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	crew := []supervise.Slot{coder(w.agent("submit")), reviewer(w.agent("approve"))}
	const line = "this rush has no agent of that role: git liza rush --agents security-reviewer=1"
	w.liza("role", "require", "security-reviewer", "--paths", "nowhere/**")
	w.liza("role", "require", "human", "--kinds", "config")
	r, err := w.rush(crew...)
	require.NoError(t, err, r.said())
	require.Equal(t, 1, strings.Count(r.said(), line), r.said())

	w.liza("role", "require", "security-reviewer")
	w.tasks(1)
	r, err = w.rush(crew...)
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	require.Equal(t, []supervise.Stall{{Task: "task-2", Status: "READY_FOR_REVIEW", Why: "there is no security-reviewer here", Hint: "git liza rush --agents security-reviewer=1"}}, stuck.Stalls)

	w.liza("approve", "task-2", "--role", "security-reviewer", "--commit", string(w.task("task-2").Submission.Commit))
	r, err = w.rush(crew...)
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-2").Status)
}

// Where nobody has changed the rules of review, a rush without reviewers is
// told nothing.
func TestUsualRulesAreNotExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")))
	require.Error(t, err)
	require.NotContains(t, r.said(), "this rush has no agent")
	require.Contains(t, err.Error(), "there is no code-reviewer here")
}

// When a supervisor ends with an error, a rush says at once what its agent still
// holds: the others wait for that lease.
func TestAbandonedTaskIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(nil, coder(w.agent(`: > "$notes/coding"; waitfor never`)), reviewer(w.agent("approve")))
	w.await("the agent", func() bool { return w.has("coding") })
	w.liza("agents", "add", "coder-1", "--takeover")
	w.await("word of the task", func() bool { return strings.Contains(r.said(), "task-1 is held by coder-1 until ") })
	require.Contains(t, r.said(), ": git liza release task-1\n")
	r.cancel()
	require.NoError(t, r.wait())
}

// A verdict that was given for another text of the spec does not merge: the
// supervisor asks its judges again.
func TestOutdatedVerdictIsAskedForAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	_, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "there is no code-reviewer here")
	w.liza("approve", "task-1", "--commit", string(w.task("task-1").Submission.Commit))
	w.write(filepath.Join(w.dir, "specs", "vision.md"), "# A large product\n")
	w.adopt()
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "task-1 is judged anew: the spec 'specs/vision.md' has changed since human:ann-example approved task-1\n")
	require.Len(t, w.moves(board.ActRecheck), 1)
	require.Len(t, w.moves(board.ActApprove), 2)
	require.Equal(t, board.Merged, w.task("task-1").Status)
	w.left()
}

// A spec that changes while somebody reviews is read again in another session.
// The first one counts for nothing.
func TestSpecThatChangesDuringAReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) { c.Limits.NoVerdicts = 1 })
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.agent("submit")), reviewer(w.agent(`if test $n = 1; then : > "$notes/reading"; waitfor changed; fi
approve || true`)))
	w.await("the review", func() bool { return w.has("reading") })
	w.write(filepath.Join(w.dir, "specs", "vision.md"), "# A large product\n")
	w.adopt()
	w.write(filepath.Join(w.notes, "changed"), "")
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, r.said(), "code-reviewer-1: specs/vision.md has changed during the review of task-1, which begins again\n")
	require.NotContains(t, r.said(), "without a verdict")
	require.Empty(t, w.moves(board.ActRelease))
	require.Len(t, w.moves(board.ActReview), 2)
	require.Empty(t, w.moves(board.ActAnomaly))
	require.Equal(t, board.Merged, w.task("task-1").Status)
	w.left()
}

// A session that changes what it judges, and takes away what is known of it, ends as the review
// goes on: the next one is held against what its supervisor saw.
func TestSealThatASessionRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) { c.Limits.NoVerdicts = 1 })
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.agent("submit")), reviewer(w.agent(`if test $n = 1; then
	echo better >>task-1.txt; rm $LIZA_CLONE/.git/liza/seals/review@task-1@1; : >"$notes/reading"; waitfor changed
fi
approve || true`)))
	w.await("the review", func() bool { return w.has("reading") })
	w.write(filepath.Join(w.dir, "specs", "vision.md"), "# A large product\n")
	w.adopt()
	w.write(filepath.Join(w.notes, "changed"), "")
	require.ErrorContains(t, r.wait(), "review_exhaustion", r.said())
	require.Contains(t, r.said(), "ended without a verdict (a reviewer changes nothing, and files in the worktree of the review were changed: task-1.txt; Its approve was refused (rule review_worktree)")
	require.Equal(t, 2, w.sessions("code-reviewer-1", "task-1"))
	require.Empty(t, w.moves(board.ActAnomaly), "no verdict was given")
}
