package supervise_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

func TestRushMergesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(4)
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	for _, s := range w.board().Tasks() {
		require.Equal(t, board.Merged, s.Status, s.ID)
		require.Contains(t, r.said(), string(s.ID)+" → READY_FOR_REVIEW (1 path) by coder-")
		require.Contains(t, r.said(), string(s.ID)+" → MERGED as ")
	}
	require.Len(t, w.moves(board.ActClaim), 4, "nothing is claimed twice")
	require.Len(t, w.moves(board.ActReview), 4)
	require.NotContains(t, r.said(), "no longer its own")
	author := w.git("log", "--no-merges", "-1", "--format=%an %ae|%cn %ce", "integration", "--", "task-1.txt")
	require.Regexp(t, `^coder-[12] coder-[12]@liza.invalid\|Ann Example ann@example.org\n$`, author)
	w.left()
	require.NotContains(t, w.git("worktree", "list"), ".worktrees")
}

func TestRejectedWorkGoesBackToItsCoder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	judge := w.agent(`if test $n = 1; then
	git liza reject $LIZA_TASK --commit $LIZA_REVIEW_COMMIT --reason "- [blocker] $LIZA_TASK.txt:1 — says too little"
else approve; fi`)
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")), reviewer(judge))
	require.NoError(t, err, r.said())
	claims := map[board.TaskID][]board.Actor{}
	for _, m := range w.moves(board.ActClaim) {
		claims[m.Task] = append(claims[m.Task], m.By)
	}
	for id, by := range claims {
		require.Len(t, by, 2, id)
		require.Equal(t, by[0], by[1], "the same coder continues %s", id)
		require.Contains(t, r.said(), string(id)+" → REJECTED (1 blocker) by code-reviewer-1")
		require.Contains(t, r.said(), string(id)+" claimed by "+string(by[0])+", iteration 2")
	}
	require.Contains(t, w.note("prompt-coder-1-2"), "says too little")
}

func TestConflictIsNewsAndIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	// Both write the same file, and neither submits before both have begun.
	code := w.agent(`intent
if test $n = 1; then
	: > "$notes/begun-$LIZA_TASK"; waitfor begun-task-1; waitfor begun-task-2
	work same.txt
else git merge -q integration || { git checkout -q --ours same.txt; git add -A; git commit -q -m "Bring both together"; }
fi
git liza submit $LIZA_TASK`)
	r, err := w.rush(coder(code), coder(code), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "→ INTEGRATION_FAILED (conflicts in same.txt) by ")
	require.Len(t, w.moves(board.ActIntegrationFail), 1)
	require.Len(t, w.moves(board.ActMerge), 2)
}

func TestStuckSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(3)
	w.liza("task", "edit", "task-2", "--depends-on", "task-1")
	w.liza("task", "add", "task-9", "--title", "Later", "--draft")
	block := w.agent(`if test $LIZA_TASK = task-1; then git liza block $LIZA_TASK --reason "no key" --question "Where is the key?"; else submit; fi`)
	r, err := w.rush(coder(block))
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	text := map[board.TaskID]string{}
	for _, s := range stuck.Stalls {
		text[s.Task] = s.Status + ": " + s.Why + " | " + s.Hint
	}
	require.Equal(t, map[board.TaskID]string{
		"task-1": "BLOCKED: no key — Where is the key? | git liza answer task-1",
		"task-2": "UNCLAIMED: it waits for task-1, which is BLOCKED: Where is the key? | git liza show task-2",
		"task-3": "READY_FOR_REVIEW: there is no code-reviewer here | git liza show task-3",
		"task-9": "DRAFT: it is a draft | git liza task edit task-9 --done-when TEXT --spec PATH --scope TEXT",
	}, text)
	require.Contains(t, err.Error(), "nothing can move without a human:\n  task-1 BLOCKED: no key")
	w.left()
}

func TestNothingPlannedIsStuck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "the goal has no tasks")
}

func TestUntrustedGateIsSaidOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) {
		c.Gates = []board.Gate{{Name: "test", Command: "test -e task-1.txt", Required: true, Timeout: board.Duration(minute)}}
	})
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "task-1 APPROVED: the board wants this machine to run a command")
	require.Equal(t, 1, strings.Count(r.said(), "task-1 cannot be merged here"), r.said())
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck)
	require.Contains(t, stuck.Stalls[0].Hint, "git liza trust ")
	require.NoError(t, w.clone.Trust.Allow(t.Context(), "test -e task-1.txt"))
	r, err = w.rush(coder(w.agent("submit")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
}

// No agent is started for a task whose verify may not run here: it could never be
// submitted. The others go on, and it does once a person has allowed it.
func TestUntrustedVerifyIsNotBegun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.liza("task", "edit", "task-1", "--verify", "test -e task-1.txt")
	w.git("config", "--unset-all", "liza.trust.allow")
	hint := "git liza trust " + work.CommandHash("test -e task-1.txt")[:work.ShownHash]
	crew := []supervise.Slot{coder(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve"))}
	r, err := w.rush(crew...)
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	require.Equal(t, board.Merged, w.task("task-2").Status, r.said())
	require.Len(t, w.moves(board.ActClaim), 1)
	require.Equal(t, hint, stuck.Stalls[0].Hint)
	require.Contains(t, stuck.Error(), "task-1 UNCLAIMED: the board wants this machine to run a command that nobody here has allowed: test -e task-1.txt")
	require.Equal(t, 1, strings.Count(r.said(), "task-1 waits: "), r.said())
	require.Contains(t, r.said(), hint)

	require.NoError(t, w.clone.Trust.Allow(t.Context(), "test -e task-1.txt"))
	r, err = w.rush(crew...)
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
}

// A merge that leaves its worktree behind is still reported as made.
func TestMergedThoughItsWorktreeStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent(`git -C $LIZA_CLONE worktree unlock $PWD; git -C $LIZA_CLONE worktree lock --reason "on a stick" $PWD; submit`)), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "task-1 is merged, but its worktree could not be removed: ")
	require.Contains(t, r.said(), "/.worktrees/task-1 is locked: on a stick; git worktree unlock ")
	require.NotContains(t, r.said(), "cannot be merged")
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Len(t, w.moves(board.ActMerge), 1)
}

// Its id taken over while its agent works, a supervisor ends the session and
// itself, and touches nothing that the newer registration has.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	path := w.scriptOf(`echo $$ > "$notes/pid.new"; mv "$notes/pid.new" "$notes/pid"; waitfor never`)
	said := &strings.Builder{}
	cmd := exec.Command(self, "agent", "coder", "--provider", shell(path))
	cmd.Dir, cmd.Stderr = w.dir, said
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	w.await("the agent", func() bool { return w.has("pid") })
	w.liza("agents", "add", "coder-1", "--takeover")
	select {
	case <-ended:
	case <-time.After(patience):
		require.FailNow(t, "the supervisor does not end")
	}
	require.Equal(t, 6, cmd.ProcessState.ExitCode(), said)
	require.Contains(t, said.String(), "coder-1 is registered with another generation: a newer registration has replaced this one")
	require.Contains(t, said.String(), "rule: stale_caller\n")
	w.gone("pid")
	require.Equal(t, board.Actor("coder-1"), w.task("task-1").Claim.By, "the newer registration keeps the claim")
	require.NotNil(t, w.board().Agent("coder-1"))
}

// Among several, the one that was taken over says why it ends, and the others
// go on.
func TestTakenOverAmongOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	wait := coder(w.agent(`echo $LIZA_AGENT_ID > "$notes/who.new"; mv "$notes/who.new" "$notes/who"; waitfor never`))
	r := w.begin(nil, wait, reviewer(w.agent("approve")))
	w.await("the agent", func() bool { return w.has("who") })
	w.liza("agents", "add", "coder-1", "--takeover")
	w.await("word of it", func() bool {
		return strings.Contains(r.said(), "coder-1 ends: coder-1 is registered with another generation")
	})
	require.NotNil(t, w.board().Agent("code-reviewer-1"))
	r.cancel()
	require.NoError(t, r.wait())
}

func TestRegistrationsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("claim", "task-1", "--as", "coder-1")
	slot := coder(w.agent("submit"))
	slot.ID = "coder-1"
	_, err := w.rush(slot)
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, flow.RuleHeld, refusal.Rule)
	require.Equal(t, board.Claimed, w.task("task-1").Status, "what coder-1 holds is not given back by somebody else")

	// Without an id the first free number is taken; a newer registration of it
	// ends the supervisor.
	r := w.begin(nil, coder(w.agent("submit")))
	w.until("coder-2", func(b *board.Board) bool { return b.Agent("coder-2") != nil })
	w.liza("agents", "add", "coder-2")
	require.ErrorAs(t, r.wait(), &refusal)
	require.Equal(t, flow.RuleStale, refusal.Rule)
	require.NotNil(t, w.board().Agent("coder-2"), "the newer registration stays")
}

// After a silence the rush says who does what, and for whom tasks wait.
func TestSilenceIsBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.liza("claim", "task-2", "--as", "coder-7")
	code := w.agent(`echo . > "$notes/begun"; waitfor go; submit`)
	r := w.begin(func(r *supervise.Rush) { r.Limits.Silence = 50 * time.Millisecond }, coder(code))
	line := regexp.MustCompile(`(?m)^coding: coder-1 \(task-1 for \d+s\); with coder-7 until \d\d:\d\d:\d\dZ: task-2$`)
	w.await("who does what", func() bool { return line.MatchString(r.said()) })
	w.write(filepath.Join(w.notes, "go"), "")
	w.until("the submission", func(b *board.Board) bool { return b.Task("task-1").Status == board.ReadyForReview })
	r.cancel()
	require.NoError(t, r.wait())
}

// A rush whose goal is reached says so, and what was asked and noted meanwhile.
func TestDoneIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(func(r *supervise.Rush) { r.Limits.Silence = 50 * time.Millisecond }, coder(w.agent(`git liza note --for planner "Look here"; submit`)), reviewer(w.agent("approve")))
	w.await("the end", func() bool {
		return strings.Contains(r.said(), "; every task of goal-1 is final: git liza goal done goal-1, and Ctrl-C ends this rush")
	})
	require.Contains(t, r.said(), "note by coder-1: Look here")
	require.Regexp(t, `task-1 → MERGED as [0-9a-f]+ by the supervisor of `, r.said())
	r.cancel()
	require.NoError(t, r.wait())
}

// Only events that need a person are reported as such.
func TestNeedsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	block := w.agent(`if test $LIZA_TASK = task-1; then git liza block $LIZA_TASK --reason "no key" --question "Where is it?"; else submit; fi`)
	r, err := w.rush(coder(block), reviewer(w.agent("approve")))
	require.Error(t, err)
	var needs []string
	for _, m := range r.messages {
		if m.Kind == supervise.NeedMessage {
			needs = append(needs, string(m.Task)+" "+m.Text)
		}
	}
	require.Equal(t, []string{"task-1 → BLOCKED (no key) by coder-1"}, needs)
}
