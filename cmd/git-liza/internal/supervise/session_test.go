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
	"github.com/git-liza/git-liza/flow/board"
)

const minute = time.Minute

// sessions counts how often an agent was spawned for a task.
func (w *world) sessions(agent board.AgentID, task board.TaskID) int {
	n := 0
	for w.has(string(agent) + "-" + string(task) + "-" + string(rune('1'+n))) {
		n++
	}
	return n
}

func TestExhaustedContextIsContinued(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.agent(`case $n in
1) intent; work part1; git liza handoff $LIZA_TASK --summary "half of it" --next-action "the other half"; exit 42;;
2) work part2; echo the parser is missing; exit 42;;
*) submit;;
esac`)))
	require.NoError(t, err, r.said())
	require.Contains(t, w.note("prompt-coder-1-2"), "the other half")
	prompt := w.note("prompt-coder-1-3")
	require.Contains(t, prompt, "the agent's context was used up before it left a handoff")
	require.Contains(t, prompt, "the parser is missing")
	require.NotContains(t, prompt, "How the previous session failed")
	handoffs := w.moves(board.ActHandoff)
	require.Len(t, handoffs, 2, "none is recorded for an agent that left one")
	require.Len(t, w.moves(board.ActClaim), 1, "the claim is kept")
}

func TestHandoffsWithoutProgressBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	_, err := w.rush(coder(w.agent("exit 42")))
	require.ErrorContains(t, err, "handoff_limit: the agent handed over 5 times in a row")
	// The first handoff changed the document; the same words again do not.
	require.Equal(t, 5, w.sessions("coder-1", "task-1"))
}

// A session that hangs, ignores TERM and has children is ended whole.
func TestHangingSessionIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.attempts(1)
	r := w.begin(func(r *supervise.Rush) {
		r.UntilIdle = true
		r.Limits.Idle = 5 * time.Second
	}, coder(w.agent(`(until test -e "$notes/parent"; do echo; sleep 0.1; done) & # it is not silent before both ids are left
trap '' TERM
(trap '' TERM; while :; do sleep 1; done) & echo $! > "$notes/child"
echo $$ > "$notes/parent"
while :; do sleep 1; done`)))
	require.ErrorContains(t, r.wait(), "ended after 5s without output")
	w.gone("parent")
	w.gone("child")
}

func TestWallLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.attempts(1)
	r := w.begin(func(r *supervise.Rush) {
		r.UntilIdle = true
		r.Limits.Wall = 500 * time.Millisecond
	}, coder(w.agent("while :; do echo busy; sleep 0.02; done")))
	require.ErrorContains(t, r.wait(), "ended after 500ms, the time limit")
}

// After the expected move a session may finish, but not go on.
func TestSessionIsEndedSoonAfterItsMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(hasty, coder(w.agent(`echo $$ > "$notes/coder"; submit; sleep 1000`)),
		reviewer(w.agent(`echo $$ > "$notes/reviewer"; approve; sleep 1000`)))
	require.NoError(t, r.wait(), r.said())
	w.gone("coder")
	w.gone("reviewer")
	require.Equal(t, board.Merged, w.task("task-1").Status)
}

func TestReviewsWithoutVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("echo looks odd")))
	require.ErrorContains(t, err, "task-1 BLOCKED: review_exhaustion", r.said())
	require.Equal(t, 2, w.sessions("code-reviewer-1", "task-1"))
	require.Contains(t, timeless(w.note("prompt-code-reviewer-1-2")), "The program gave no verdict (exit 0)")
	require.Empty(t, w.moves(board.ActRelease), "the record of the session ends the review")
	require.Contains(t, r.said(), "task-1 → READY_FOR_REVIEW: tried again in 1s, 1 of 2 failed")
	require.Contains(t, r.said(), "task-1 → BLOCKED (review_exhaustion) on review by code-reviewer-1")
	require.NotContains(t, w.git("worktree", "list"), "review@")
}

// A review's checkout stays until its session is over, whoever merges meanwhile: the
// session stands in it, and a sandbox keeps it from removing a worktree. Then the
// supervisor removes it.
func TestVerdictLeavesItsCheckoutToTheSupervisor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.agent("intent; work file-$n; git liza submit $LIZA_TASK")), reviewer(w.agent(`ls .. > "$notes/trees-$n"
if test $n = 1; then git liza reject $LIZA_TASK --commit $LIZA_REVIEW_COMMIT --reason '- [blocker] a:1 — no'; else approve; waitfor merged; fi
test -e .git && echo stands > "$notes/after-$n"`)))
	w.until("the merge", func(b *board.Board) bool { return b.Task("task-1").Status.IsMerged() })
	w.liza("merge", "task-1") // clears away what a merge leaves
	require.Contains(t, w.liza("worktree"), "used    review@task-1@2       MERGED              review of submission 2 has ended, but somebody is in it\n")
	require.Equal(t, "no stale worktrees\n", w.liza("worktree", "prune"))
	w.write(filepath.Join(w.notes, "merged"), "")
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, "stands\n", w.note("after-1"))
	require.Equal(t, "stands\n", w.note("after-2"))
	require.Contains(t, w.note("trees-1"), "review@task-1@1\n")
	require.NotContains(t, w.note("trees-2"), "review@task-1@1\n")
	require.Empty(t, w.reviewCheckouts())
	left, err := os.ReadDir(filepath.Join(w.dir, ".git", "liza", "standing"))
	require.NoError(t, err)
	require.Empty(t, left)
	w.left()
}

// The session of a coder keeps its worktree when its work is merged, with what it still
// writes there, whether git finds the branch or not.
func TestMergeLeavesItsWorktreeToTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.agent(`intent; work file-1; git liza submit $LIZA_TASK; waitfor merged
git status --short --branch > "$notes/status" && git log --format=%s -1 > "$notes/log" && echo more > late && cp late "$notes/late"`)),
		reviewer(w.agent("approve")))
	w.until("the merge", func(b *board.Board) bool { return b.Task("task-1").Status.IsMerged() })
	w.liza("merge", "task-1") // clears away what a merge leaves
	require.Contains(t, w.liza("worktree"), "used    task-1                MERGED              the task is MERGED, but somebody is in it\n")
	require.Equal(t, "no stale worktrees\n", w.liza("worktree", "prune"))
	w.write(filepath.Join(w.notes, "merged"), "")
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, "## HEAD (no branch)\n", w.note("status"))
	require.Equal(t, "more\n", w.note("late"))
	require.NoDirExists(t, filepath.Join(w.dir, ".worktrees", "task-1"))
	kept, err := w.clone.Repo.Refs.List(t.Context(), "refs/liza/rescue/task-1/")
	require.NoError(t, err)
	require.Len(t, kept, 1, "what it wrote after the merge")
	branches, err := w.clone.Repo.Refs.List(t.Context(), "refs/heads/liza/")
	require.NoError(t, err)
	require.Empty(t, branches)
	left, err := filepath.Glob(filepath.Join(w.dir, ".git", "liza", "left", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
	w.left()
}

// A session that repeats its review, after it has removed what is known of the checkout as
// it was, makes nothing good: only its supervisor records that.
func TestSessionSealsNoReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent(`if test $n = 1; then
	rm $LIZA_CLONE/.git/liza/seals/*; git liza review $LIZA_TASK
	git liza approve $LIZA_TASK --commit $LIZA_REVIEW_COMMIT 2>"$notes/approve"
else approve; fi`)))
	require.NoError(t, err, r.said())
	require.Contains(t, w.note("approve"), "what its worktree was like when the review began is not known any more")
	require.Equal(t, 2, w.sessions("code-reviewer-1", "task-1"))
}

// reviewCheckouts returns the checkouts of reviews that are left.
func (w *world) reviewCheckouts() (left []string) {
	w.Helper()
	list, err := w.clone.Checkouts.List(w.Context(), w.board())
	require.NoError(w, err)
	for _, k := range list {
		if k.Submission != 0 {
			left = append(left, k.Name)
		}
	}
	return left
}

func TestProviderThatCannotStartDegrades(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.starts(1)
	p, err := provider.Builtin().Find("script", w.dir+"/none")
	require.NoError(t, err)
	r, err := w.rush(coder(p))
	require.ErrorContains(t, err, "coder-1 rests: provider script")
	require.Equal(t, board.Unclaimed, w.task("task-1").Status)
	require.Contains(t, r.said(), "coder-1 rests: provider script")
	w.left()
}

func TestPostWorktree(t *testing.T) {
	t.Parallel()
	const command = `echo ready > "$LIZA_WORKTREE/.git-ready"; test "$LIZA_TASK" = task-1`
	w := newWorld(t)
	w.config(func(c *board.Config) { c.PostWorktree = command })
	w.tasks(1)
	slot := coder(w.agent(`cp .git-ready "$notes/ready"; rm .git-ready; submit`))
	_, err := w.rush(slot)
	require.ErrorContains(t, err, "coder-1 rests: post_worktree is not trusted here")
	require.Empty(t, w.moves(board.ActClaim), "nothing is claimed for a command that may not run")

	require.NoError(t, w.clone.Trust.Allow(t.Context(), command))
	r, err := w.rush(slot, reviewer(w.agent(`test -e .git-ready; approve`)))
	require.NoError(t, err, r.said())
	require.True(t, w.has("ready"))
	require.Empty(t, w.moves(board.ActAnomaly))

	w.tasks(1)
	_, err = w.rush(slot)
	require.ErrorContains(t, err, "coder-1 rests: post_worktree exited, exit 1")
	require.Equal(t, 0, w.sessions("coder-1", "task-2"), "no agent is spawned")
	require.Equal(t, board.Unclaimed, w.task("task-2").Status)
}

// A set-up often runs files of the checkout, and makes no move, as whoever it says that it is.
func TestPostWorktreeMakesNoMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	said := filepath.Join(t.TempDir(), "said")
	command := "cd '" + w.dir + `'; unset LIZA_AGENT_ID LIZA_GENERATION; '` + self + `' note forged >>'` + said + `' 2>&1; true`
	w.config(func(c *board.Config) { c.PostWorktree = command })
	require.NoError(t, w.clone.Trust.Allow(t.Context(), command))
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	text, err := os.ReadFile(said)
	require.NoError(t, err)
	require.Contains(t, string(text), "makes no moves")
	require.NotContains(t, w.git("log", "--format=%s", "refs/liza/state"), "note ")
}

// What post_worktree leaves running ends with its guard: the session finds none of it.
func TestDaemonsOfPostWorktreeEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pid := filepath.Join(w.notes, "daemon")
	command := "(setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >'" + pid + "')"
	w.config(func(c *board.Config) { c.PostWorktree = command })
	require.NoError(t, w.clone.Trust.Allow(t.Context(), command))
	w.tasks(1)
	r, err := w.rush(coder(w.agent(`kill -0 $(cat "$notes/daemon") || : >"$notes/ended"; submit`)), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status, r.said())
	require.True(t, w.has("ended"))
	w.gone("daemon")
}

func TestFollowAndLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Follow = true, "coder-1" },
		coder(w.agent("echo so I begin; submit")), reviewer(w.agent("echo hm; approve")))
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, r.said(), "coder-1 | so I begin\n")
	require.NotContains(t, r.said(), "hm\n")
	log := w.run("cat", ".git/liza/log/coder-1.log")
	require.Contains(t, log, "coder-1 on task-1, session 1: prompt\n")
	require.Contains(t, log, "# Your task")
	require.Less(t, strings.Index(log, "# Your task"), strings.Index(log, "so I begin"))
}

// An agent that removes its own worktree gets it again, with a word about it;
// one that never stops doing so costs the task, not the supervisor.
func TestWorktreeThatIsRemoved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, reason, prompt string }{
		"well ended":  {`rm -rf "$LIZA_WORKTREE"`, "retries — 3 claims ended without a result", "ended well, but without submit"},
		"crashed":     {`rm -rf "$LIZA_WORKTREE"; exit 1`, "retries — 3 claims ended without a result", "did not end well"},
		"handed over": {`rm -rf "$LIZA_WORKTREE"; exit 42`, "handoff_limit: the agent handed over 5 times", ""},
		"only .git":   {`rm -rf .git; git stash -u || git liza list`, "retries — 3 claims ended without a result", "ended well, but without submit"},
		"new .git":    {`rm -rf .git; git init -q; git stash -u || git liza list`, "retries — 3 claims ended without a result", "ended well, but without submit"},
		"ruined .git": {`rm -rf .git/objects; mkdir -p sub; cd sub; git stash -u || git liza list`, "retries — 3 claims ended without a result", "ended well, but without submit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(2)
			w.liza("config", "pressure.rate", "0")
			mine := filepath.Join(w.dir, "mine.txt")
			w.write(mine, "mine\n")
			// Three failures of task-1 before another claim are no matter here.
			r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.NoTrips = true, true }, coder(w.agent(`test $LIZA_TASK = task-1 || { submit; exit; }
test $n != 1 || { intent; work kept.txt; git liza show --trace HEAD || :; }
test -e kept.txt
`+test.script)))
			require.ErrorContains(t, r.wait(), test.reason, r.said())
			task := w.task("task-1")
			require.Equal(t, board.Blocked, task.Status)
			require.Contains(t, r.said()+task.Block.Reason+retryError(task), "orktree was gone")
			require.Equal(t, board.ReadyForReview, w.task("task-2").Status, "the supervisor goes on")
			require.Contains(t, w.note("prompt-coder-1-2"), "orktree was gone")
			require.Contains(t, w.note("prompt-coder-1-2"), test.prompt)
			require.NotContains(t, r.said(), " rests: ")
			require.Contains(t, w.git("log", "--format=%s", "liza/task-1"), "Work on task-1", "what was committed is kept")
			require.FileExists(t, mine, "git in a worktree that is none worked in the clone around it")
			require.NoError(t, os.Remove(mine))
			w.left()
		})
	}
}

// A folder that cannot be made again is a question for a human.
func TestWorktreeThatIsInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	r, err := w.rush(coder(w.agent(`test $LIZA_TASK = task-1 || { submit; exit; }
rm -rf "$LIZA_WORKTREE"; echo mine > "$LIZA_WORKTREE"`)))
	require.ErrorContains(t, err, "task-1 BLOCKED: worktree_obstacle: ", r.said())
	require.ErrorContains(t, err, "/.worktrees/task-1 is in the way and not a folder")
	require.Equal(t, board.ReadyForReview, w.task("task-2").Status, "the supervisor goes on")
	require.NotContains(t, r.said(), " rests: ")
	w.left()
}

// A task that cannot be taken here keeps nobody from the next one.
func TestObstacleIsPassedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	slot := coder(w.agent(`test $LIZA_TASK = task-2 || {
	git update-ref HEAD $(git commit-tree -p HEAD -m lost $(printf '100644 blob %040d\tlost\n' 1 | git mktree --missing)); exit 1; }
submit`))
	slot.Once = true
	require.Error(t, w.begin(nil, slot).wait())
	until := w.task("task-1").Retry.NotBefore
	w.await("its next try", func() bool { return time.Now().After(until) })
	w.liza("pause", "--reason", "not yet")
	slot.Once = false
	r := w.begin(nil, slot)
	w.await("the coder", func() bool {
		p := w.agents(0)["coder-1"].Presence
		return p != nil && p.Note == "the board is PAUSED"
	})
	w.liza("resume", "--reason", "go on") // nothing else changes the board then
	w.until("the next task", func(b *board.Board) bool { return b.Task("task-2").Status == board.ReadyForReview })
	require.Regexp(t, `coder-1 cannot take task-1: .* has commits that cannot be read: `, r.said())
	r.cancel()
	require.NoError(t, r.wait())
}

// Locks that a session leaves in its worktree keep no later one from work.
func TestLocksLeftInWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent(`test $n != 1 || { intent; work kept.txt; : >.git/index.lock; : >.git/HEAD.lock; : >.git/refs/heads/liza/task-1.lock; exit 1; }
intent; work more.txt; submit`)))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW: there is no code-reviewer here", r.said())
	require.Equal(t, 2, w.task("task-1").Attempt.Iteration, r.said())
	w.left()
}
