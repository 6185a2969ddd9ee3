package supervise_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// swift is how fast a supervisor answers a new state of the board, with room
// for a busy machine: sooner than any timer would wake it. The product promises
// a second.
const swift = 20 * time.Second

// short makes leases and the grace as short as the rules allow.
func (w *world) short() {
	w.config(func(c *board.Config) {
		c.Lease, c.ReviewLease, c.Grace = board.Duration(time.Second), board.Duration(time.Second), board.Duration(time.Second)
	})
}

// busy begins a rush of one coder whose agent leaves its process id and then
// waits for "go".
func (w *world) busy(edit func(*supervise.Rush)) *rushing {
	w.Helper()
	r := w.begin(edit, coder(w.agent(`echo $$ > "$notes/pid.new"; mv "$notes/pid.new" "$notes/pid"; waitfor go; submit`)))
	w.await("the agent", func() bool { return w.has("pid") })
	return r
}

func TestLeaseIsRenewedWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.short()
	w.tasks(1)
	r := w.busy(untilIdle)
	first := w.task("task-1").Claim.Lease
	w.until("a lease beyond lease and grace", func(b *board.Board) bool {
		return b.Task("task-1").Claim.Lease.Sub(first) > 3*time.Second
	})
	w.write(w.notes+"/go", "")
	require.ErrorContains(t, r.wait(), "task-1 READY_FOR_REVIEW: there is no code-reviewer here")
	require.Len(t, w.moves(board.ActClaim), 1)
	require.NotContains(t, r.said(), "renew")
}

func TestLeaseIsRenewedBetweenSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.short()
	w.tasks(1)
	r := w.begin(func(r *supervise.Rush) {
		r.UntilIdle, r.Limits.Pause, r.Limits.MaxPause = true, 2500*time.Millisecond, time.Minute
	}, coder(w.agent(`case $n in
1) intent; git liza handoff $LIZA_TASK --summary half --next-action rest;;
*) submit;;
esac`)))
	require.ErrorContains(t, r.wait(), "READY_FOR_REVIEW")
	require.GreaterOrEqual(t, len(w.moves(board.ActRenew)), 2, r.said())
	require.Len(t, w.moves(board.ActClaim), 1)
}

func TestLostClaimEndsTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.busy(nil)
	w.liza("pause", "--reason", "let me see")
	w.liza("release", "task-1")
	w.gone("pid")
	w.await("word of it", func() bool {
		return strings.Contains(r.said(), "coder-1: task-1 is no longer its own; the session was ended\n")
	})
	r.cancel()
	require.NoError(t, r.wait())
	require.Equal(t, board.Unclaimed, w.task("task-1").Status)
	require.Empty(t, w.task("task-1").Failures)
	w.left()
}

func TestInterruptedRushGivesEverythingBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.liza("claim", "task-2", "--as", "coder-7")
	w.git("-C", ".worktrees/task-2", "commit", "-q", "--allow-empty", "-m", "x")
	r := w.busy(nil)
	r.cancel()
	require.NoError(t, r.wait(), "an interruption is a good end")
	w.gone("pid")
	b := w.board()
	require.Equal(t, board.Unclaimed, b.Task("task-1").Status)
	require.Equal(t, board.Claimed, b.Task("task-2").Status, "what others hold is theirs")
	require.Equal(t, []string{"coder-7"}, b.IDs(board.Agents))
}

func TestInterruptedReviewCountsForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	_, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "READY_FOR_REVIEW")
	r := w.begin(nil, reviewer(w.agent(`echo $$ > "$notes/pid"; waitfor never`)))
	w.await("the agent", func() bool { return w.has("pid") })
	r.cancel()
	require.NoError(t, r.wait())
	require.Zero(t, w.task("task-1").Judgement(board.CodeReviewer).NoVerdicts)
	w.left()
}

func TestStopEndsTheRush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	r := w.busy(nil)
	begun := time.Now()
	w.liza("stop", "--reason", "enough")
	require.NoError(t, r.wait())
	require.Less(t, time.Since(begun), swift)
	w.gone("pid")
	w.left()
	require.Equal(t, board.Unclaimed, w.task("task-1").Status)
	require.Contains(t, r.said(), "board → STOPPED (enough) by human:ann-example\n")

	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")))
	require.ErrorContains(t, err, "the board is STOPPED (enough), no agent begins")
	require.Contains(t, r.said(), "a coder ends: the board is STOPPED (enough), no agent begins (control)\n")
}

func TestPauseLetsAgentsFinishAndClaimsNothingNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	r := w.busy(untilIdle)
	w.liza("pause", "--reason", "look first")
	w.write(w.notes+"/go", "")
	err := r.wait()
	require.ErrorContains(t, err, "PAUSED: look first")
	require.Equal(t, board.ReadyForReview, w.task("task-1").Status)
	require.Equal(t, board.Unclaimed, w.task("task-2").Status)
	require.Len(t, w.moves(board.ActClaim), 1)
}

func TestResumeWakesTheRush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("pause", "--reason", "not yet")
	r := w.begin(nil, coder(w.agent("submit")))
	w.until("the coder", func(b *board.Board) bool { return b.Agent("coder-1") != nil })
	begun := time.Now()
	w.liza("resume", "--reason", "go on")
	w.until("a claim", func(b *board.Board) bool { return b.Task("task-1").Status != board.Unclaimed })
	require.Less(t, time.Since(begun), swift)
	w.until("the submission", func(b *board.Board) bool { return b.Task("task-1").Status == board.ReadyForReview })
	r.cancel()
	require.NoError(t, r.wait())
}

// A pause between two sessions keeps the claim and spawns nothing.
func TestPauseBetweenSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.short()
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.agent(`test $n != 1 || { intent; git liza handoff $LIZA_TASK --summary half --next-action rest; : > "$notes/first"; waitfor go; exit 1; }
submit`)))
	w.await("the first session", func() bool { return w.has("first") })
	w.liza("pause", "--reason", "look first")
	w.write(w.notes+"/go", "")
	w.await("the end of the first session", func() bool { return w.logged("coder-1", "exit 1") })
	lease := w.task("task-1").Claim.Lease
	w.until("two more renewals", func(b *board.Board) bool { return b.Task("task-1").Claim.Lease.Sub(lease) >= 2*time.Second })
	require.Equal(t, 1, w.sessions("coder-1", "task-1"))
	w.liza("resume", "--reason", "go on")
	require.ErrorContains(t, r.wait(), "task-1 READY_FOR_REVIEW")
	require.Len(t, w.moves(board.ActClaim), 1)
}

func TestOnceAndMaxWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	slot := coder(w.agent("submit"))
	slot.Once = true
	require.NoError(t, w.begin(nil, slot).wait())
	require.Equal(t, board.ReadyForReview, w.task("task-1").Status)
	require.Equal(t, board.Unclaimed, w.task("task-2").Status)

	slot = coder(w.agent("exit 1"))
	slot.Once = true
	require.ErrorContains(t, w.begin(nil, slot).wait(), "the work of coder-1 did not end as it should: exit 1 after ")

	slot = planner(w.agent("exit 1"))
	slot.MaxWait = 50 * time.Millisecond
	w.liza("task", "abandon", "task-2", "--reason", "no more")
	r := w.begin(nil, slot)
	require.NoError(t, r.wait())
	require.Contains(t, r.said(), "planner-1: nothing to do for 50ms")
	w.left()
}

// external is a supervisor in a process of its own.
func (w *world) external(args ...string) *exec.Cmd {
	w.Helper()
	cmd := exec.Command(self, args...)
	cmd.Dir = w.dir
	cmd.Env, cmd.Stderr = os.Environ(), w.Output()
	require.NoError(w, cmd.Start())
	w.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// A command that was stopped in the middle of its move keeps everybody waiting:
// supervisors and commands say for whom.
func TestStoppedCommandIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	hook := filepath.Join(w.dir, ".git", "hooks", "reference-transaction")
	w.write(hook, "#!/bin/sh\n: > '"+w.notes+"/moves'; while ! test -e '"+w.notes+"/go'; do sleep 0.02; done\n")
	stopped := exec.Command(self, "note", "a word")
	stopped.Dir, stopped.Stderr = w.dir, os.Stderr
	require.NoError(t, stopped.Start())
	t.Cleanup(func() { _ = stopped.Process.Kill() })
	w.await("the command moves refs", func() bool { return w.has("moves") })
	require.NoError(t, stopped.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(stopped.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "before its git comes back to it")
	w.write(filepath.Join(w.notes, "go"), "")

	r := w.begin(untilIdle, coder(w.agent("submit")), reviewer(w.agent("approve")))
	other := exec.Command(self, "note", "another")
	other.Dir = w.dir
	stderr, err := other.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	line := fmt.Sprintf("waiting for process %d (git liza note), which has this clone's turn to write; if it is stopped, type fg in its terminal, or: kill -CONT %[1]d\n", stopped.Process.Pid)
	said, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, line, said)
	w.await("the supervisors name it", func() bool { return strings.Contains(r.said(), line) })
	require.NoError(t, stopped.Process.Signal(syscall.SIGCONT))
	require.NoError(t, other.Wait())
	require.NoError(t, stopped.Wait())
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, 1, strings.Count(r.said(), line), r.said())
}

func TestTwoRushesSideBySide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(8)
	path := w.scriptOf("case $LIZA_ROLE in coder) submit;; *) approve;; esac")
	args := []string{"rush", "--planners", "0", "--until-idle", "--provider", shell(path)}
	one, two := w.external(args...), w.external(args...)
	require.NoError(t, one.Wait())
	require.NoError(t, two.Wait())
	claimed := map[board.TaskID]int{}
	for _, m := range w.moves(board.ActClaim) {
		claimed[m.Task]++
	}
	require.Len(t, claimed, 8)
	for id, n := range claimed {
		require.Equal(t, 1, n, id)
	}
	require.Len(t, w.moves(board.ActMerge), 8)
	w.left()
	w.liza("fsck", "--full")
}

// A killed supervisor gives nothing back; its task is free when lease and
// grace are over.
func TestKilledSupervisorIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.short()
	w.tasks(1)
	path := w.scriptOf(`test $LIZA_AGENT_ID = coder-1 || { submit; exit; }
` + daemon + `
intent; work half.txt; echo $$ > "$notes/pid.new"; mv "$notes/pid.new" "$notes/pid"; waitfor never`)
	killed := w.external("agent", "coder", "--provider", shell(path))
	w.await("the agent", func() bool { return w.has("pid") })
	group, err := syscall.Getpgid(w.pid("pid"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) }) // the orphan is this test's to end
	require.NoError(t, killed.Process.Signal(syscall.SIGKILL))
	_ = killed.Wait()

	next := w.external("agent", "coder", "--once", "--provider", shell(path))
	require.NoError(t, next.Wait())
	w.gone("pid")
	w.gone("child")
	task := w.task("task-1")
	require.Equal(t, board.ReadyForReview, task.Status)
	require.Equal(t, board.Actor("coder-2"), task.Attempt.Coder)
	claims := w.moves(board.ActClaim)
	require.Len(t, claims, 2)
	require.GreaterOrEqual(t, claims[1].At.Sub(claims[0].At), 3*time.Second, "not before lease and grace are over")
	require.Contains(t, w.git("ls-tree", "-r", "--name-only", string(claims[1].Detail.(*flow.ClaimMove).Saved.Commit)), "half.txt", "its work is saved")
	_, err = w.clone.Repo.Git(t.Context(), "cat-file", "-e", string(task.Submission.Commit)+":half.txt")
	require.Error(t, err, "another coder begins afresh")

}

// A rush that a decision leaves nothing to do says what lifts it.
func TestRushNamesWhatLiftsAHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("checkpoint")
	w.liza("checkpoint", "decide", "REPLAN", "--message", "smaller")
	_, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "task-1 UNCLAIMED: task-1 is held back since checkpoint-1 (REPLAN): smaller; git liza checkpoint lift --goal goal-1 --reason R")
}
