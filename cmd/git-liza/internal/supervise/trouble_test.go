package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// troubled has patterns for a provider's troubles.
func troubled(r *provider.Row) {
	r.Quota, r.Outage, r.Login = "usage limit reached", "overloaded", "please log in"
}

// paused is the pause of the fake provider, nil if there is none.
func (w *world) paused() *provider.Pause {
	w.Helper()
	return provider.Paused(filepath.Join(w.dir, ".git"), "fake", time.Now())
}

// A quota with a near end is waited for; the task is kept meanwhile, and neither
// a crash nor anything else is counted.
func TestQuotaPausesTheProviderNotTheTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.fake(`began s
if test $n = 1; then failed "usage limit reached, try again in 2s"; exit 0; fi
submit; ended done`, troubled)))
	require.NoError(t, err, r.said())
	require.Equal(t, []string{"quota", "submitted"}, w.outcomes("coder-1"))
	require.Empty(t, w.moves(board.ActRelease))
	require.Equal(t, 1, w.task("task-1").Attempt.Iteration)
	require.NotContains(t, r.said(), "1 of 5")
	require.Contains(t, r.said(), "coder-1: the session on task-1 has ended: fake is paused, quota until ")
	require.Contains(t, r.said(), "fake is tried again\n")
	require.NotContains(t, w.note("prompt-coder-1-2"), "How the previous session failed")
	require.NoFileExists(t, filepath.Join(w.dir, ".git", "liza", "paused", "fake"), "it has worked again")
}

// Others go on with another provider, and a rush that nothing but a long pause
// keeps from going on ends, and says what would help.
func TestLongPauseEndsARushUntilIdle(t *testing.T) {
	t.Parallel()
	for kind, words := range map[string]string{"quota": "usage limit reached, try again in 3h", "login": "please log in"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			slot, other := coder(w.fake(`echo '`+words+`' >&2; exit 1`, troubled)), coder(w.agent("submit"))
			slot.ID, other.ID = "coder-1", "coder-2"
			r, err := w.rush(slot, reviewer(w.agent("approve")))
			var stuck *supervise.Stuck
			require.ErrorAs(t, err, &stuck, r.said())
			require.Contains(t, stuck.Stalls[0].Why, "fake is paused, "+kind)
			require.Contains(t, stuck.Stalls[0].Why, words)
			require.Equal(t, "git liza providers resume fake", stuck.Stalls[0].Hint)
			require.Equal(t, 1, w.sessions("coder-1", "task-1"))
			require.Equal(t, board.Unclaimed, w.task("task-1").Status)
			w.left()

			// The pause is there for the next rush too, which spawns nobody of it.
			r, err = w.rush(slot, other, reviewer(w.agent("approve")))
			require.NoError(t, err, r.said())
			require.Contains(t, r.said(), "fake is paused, "+kind)
			require.Equal(t, []string{"submitted"}, w.outcomes("coder-2"), r.said())
		})
	}
}

// A paused planner is named as what has to be mended: nothing is planned before.
func TestAPausedPlannerIsWhatIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.rush(planner(w.fake(`echo 'please log in' >&2; exit 1`, troubled)), coder(w.agent("submit")))
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck)
	require.Equal(t, "git liza providers resume fake", stuck.Stalls[0].Hint)
	require.Contains(t, err.Error(), "the goal has no tasks")
}

// Where nobody is logged in, the hint logs somebody in before it resumes the
// provider: a command alone would pause it again.
func TestTheHintLogsIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	slot := coder(w.fake(`echo 'please log in' >&2; exit 1`, func(r *provider.Row) { troubled(r); r.LoginArgs = []string{"auth", "login"} }))
	r, err := w.rush(slot)
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	command := slot.Provider.Binary + " auth login && git liza providers resume fake"
	require.Equal(t, command, stuck.Stalls[0].Hint)
	require.Contains(t, r.said(), "fake is paused, login: please log in; "+command+"\n")
}

// A resumed provider is used at once.
func TestResumedProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(nil, coder(w.fake(`began s; if test $n = 1; then failed "please log in"; else submit; ended done; fi`, troubled)))
	w.await("the pause", func() bool { return w.paused() != nil })
	require.True(t, w.paused().Until.IsZero(), "nobody logs in by waiting")
	w.until("the release", func(b *board.Board) bool { return b.Task("task-1").Status == board.Unclaimed })
	resumed, err := provider.Resume(filepath.Join(w.dir, ".git"), "fake")
	require.NoError(t, err)
	require.True(t, resumed)
	w.until("the submission", func(b *board.Board) bool { return b.Task("task-1").Status == board.ReadyForReview })
	r.cancel()
	require.NoError(t, r.wait())
}

// A reviewer's outage is no review without verdict, a planner's no failed plan.
func TestOutageOfReviewerAndPlanner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.rush(planner(w.fake(`began p; if test $n = 1; then failed "overloaded, try again in 1s"; exit; fi; `+addOne+`; ended done`, troubled)),
		coder(w.agent("submit")),
		reviewer(w.fake(`began r; if test $n = 1; then failed "overloaded, try again in 1s"; exit; fi; approve; ended done`, troubled)))
	require.NoError(t, err, r.said())
	require.Equal(t, []string{"failed", "planned"}, w.outcomes("planner-1"))
	require.Equal(t, []string{"failed", "approved"}, w.outcomes("code-reviewer-1"))
	require.Zero(t, w.task("task-1").Judgement(board.CodeReviewer).NoVerdicts)
	for _, m := range w.moves(board.ActRelease) {
		require.False(t, m.Detail.(*flow.ReleaseMove).NoVerdict)
	}
}

// Words about a quota in the agent's own message are no trouble.
func TestTalkOfAQuotaIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.fake(`began s; if test $n = 1; then ended "usage limit reached is what it should print"; else submit; ended done; fi`, troubled)),
		reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Nil(t, w.paused())
	require.Equal(t, []string{"nothing", "submitted"}, w.outcomes("coder-1"))
}

// A pause file that cannot be read stops new sessions instead of being passed
// over.
func TestBrokenPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	path := filepath.Join(w.dir, ".git", "liza", "paused", "fake")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	w.write(path, "until: soon\n")
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle = true }, coder(w.fake("began s; submit; ended done", troubled)))
	require.ErrorContains(t, r.wait(), "paused/fake", r.said())
	require.Zero(t, w.sessions("coder-1", "task-1"))
}

// A program that is missing, or older than its row is right for, gets no work,
// and the rush says what would help.
func TestUnfitProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.starts(2)
	old := filepath.Join(w.notes, "old")
	w.write(old, "#!/bin/sh\necho fake 1.2.3\n")
	slot := func(binary string) supervise.Slot {
		return coder(w.fake("began s; submit; ended done", func(r *provider.Row) {
			r.Binary, r.Version, r.Minimum, r.Install = binary, []string{"--version"}, "2.0.0", "npm install -g fake"
		}))
	}
	r, err := w.rush(slot(old))
	require.ErrorContains(t, err, "coder-1 rests: provider fake: "+old+" is version 1.2.3, older than 2.0.0; npm install -g fake, "+
		"or to try it anyway git config liza.provider.fake.minimum 1.2.3")
	require.NotContains(t, r.said(), "could not be started", "no wait makes it newer")
	r, err = w.rush(slot("git-liza-no-such-program"))
	require.ErrorContains(t, err, "coder-1 rests: provider fake: git-liza-no-such-program is not on the PATH; npm install -g fake")
	require.Contains(t, r.said(), "coder-1: its program could not be started (provider fake: git-liza-no-such-program is not on the PATH; npm install -g fake), 1 of 2 failed; again in 1s\n")
	require.Contains(t, r.said(), " npm install -g fake), 2 of 2 failed\n")
	require.Empty(t, w.moves(board.ActClaim))

	// Each agent is named, and why that is so is said once.
	_, err = w.rush(slot(old), slot(old))
	require.Equal(t, 1, strings.Count(err.Error(), "older than 2.0.0"), err)
	require.ErrorContains(t, err, "coder-1 rests: provider fake: "+old)
	require.ErrorContains(t, err, "coder-2 rests: as coder-1 is")
	for _, task := range []string{"task-1", "task-2"} {
		require.ErrorContains(t, err, task+" UNCLAIMED: coder-1 rests; git liza doctor\n")
	}
}

// A command whose program goes away while the rush runs is the provider's
// trouble: the task is given back, and nothing of it counts.
func TestCommandThatVanishes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.starts(2)
	program := filepath.Join(w.notes, "agent")
	w.write(program, "#!/bin/sh\nexec sh '"+w.scriptOf(`test $LIZA_TASK = task-1 || exit 1; submit; rm "$notes/agent"`)+"'\n")
	p, err := provider.Builtin().Find("exec:'"+program+"'", self)
	require.NoError(t, err)
	r, err := w.rush(coder(p))
	require.ErrorContains(t, err, "coder-1 rests: provider exec: there is no program "+program, r.said())
	require.Equal(t, board.ReadyForReview, w.task("task-1").Status, r.said())
	require.Equal(t, board.Unclaimed, w.task("task-2").Status)
	require.NotContains(t, r.said(), "crashed")
	require.Contains(t, r.said(), "coder-1: its program could not be started (provider exec: there is no program "+program+"), 1 of 2 failed; again in 1s\n")
	require.Nil(t, w.task("task-2").Retry, "the task is not the cause")
	w.left()
}

// A program that is missing is tried again, and used when it is there. A session that
// begins ends the count.
func TestProgramThatAppears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.starts(50)
	program := filepath.Join(w.notes, "agent")
	p, err := provider.Builtin().Find("exec:'"+program+"'", self)
	require.NoError(t, err)
	script := w.scriptOf(`submit; test $LIZA_TASK = task-2 || rm "$notes/agent"`)
	appear := func() {
		w.write(program+".new", "#!/bin/sh\nexec sh '"+script+"'\n")
		require.NoError(t, os.Rename(program+".new", program))
	}
	r := w.begin(untilIdle, coder(p), reviewer(w.agent("approve")))
	said := "coder-1: its program could not be started (provider exec: there is no program " + program + "), 1 of 50 failed; again in 1s\n"
	w.await("the first failure", func() bool { return strings.Contains(r.said(), said) })
	require.Empty(t, w.moves(board.ActClaim), "it is looked for before anything is claimed")
	appear()
	w.await("the failure of task-2", func() bool { return strings.Count(r.said(), said) == 2 })
	appear()
	require.NoError(t, r.wait(), r.said())
	require.NotContains(t, r.said(), " rests: ")
	require.Equal(t, board.Merged, w.task("task-2").Status)
	require.Equal(t, []string{"submitted", "submitted"}, w.outcomes("coder-1"))
}

// A person's branch where a task's has to be keeps the task waiting; the command that gives it
// another name ends that.
func TestABranchInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.git("branch", "liza/task-1", "HEAD")
	_, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "task-1 UNCLAIMED: liza/task-1 exists already; git branch -m liza/task-1 liza-task-1")
	w.git("branch", "-m", "liza/task-1", "liza-task-1")
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.NotEmpty(t, w.git("for-each-ref", "refs/heads/liza-task-1"))
}

// Approved work whose merge a rule refuses by what only its commits say waits in the inbox.
func TestARefusedMergeIsInTheInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	_, err := w.rush(coder(w.agent(`intent; echo x >once.tmp; git add -A; git commit -q -m once; git rm -q once.tmp; work; git liza submit $LIZA_TASK`)))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW")
	w.liza("review", "task-1", "--as", "code-reviewer-1")
	w.liza("approve", "task-1", "--as", "code-reviewer-1", "--commit", string(w.task("task-1").Submission.Commit))
	w.liza("config", "never", "**/*.tmp")
	require.NotContains(t, w.liza("inbox", "--all"), "not merged")
	_, err = w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "task-1 APPROVED: in commit ")
	require.Equal(t, 1, strings.Count(w.liza("inbox", "--all"), "task-1 is approved and not merged: in commit "))
	w.liza("config", "never", "**/*.none")
	_, err = w.rush(coder(w.agent("submit")))
	require.NoError(t, err)
	require.NotContains(t, w.liza("inbox", "--all"), "not merged")
}
