package supervise_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// levelled adds a task for each level that is given.
func (w *world) levelled(levels ...string) {
	w.Helper()
	var list strings.Builder
	for _, level := range levels {
		list.WriteString("- title: A file\n  done_when: it is there\n  spec: specs/vision.md\n  scope: one file\n  kind: docs\n  level: " + level + "\n")
	}
	w.write(filepath.Join(w.notes, "tasks.yaml"), list.String())
	w.liza("task", "add", "--from", filepath.Join(w.notes, "tasks.yaml"))
}

// gate configures a gate of a stage.
func (w *world) gate(name, at, command string) {
	w.Helper()
	w.liza("config", "gates."+name+".command", command)
	w.liza("config", "gates."+name+".at", at)
}

// A task that failed holds the tasks of later levels, and no others. What has to be mended
// is told before what waits for it.
func TestABarrierIsHeldByAFailedTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.attempts(1)
	w.liza("goal", "schedule", "--barrier", "level")
	w.levelled(append(slices.Repeat([]string{"2"}, 12), "1", "1")...)
	r, err := w.rush(coder(w.agent("test $LIZA_TASK != task-13; submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "nothing can move without a human:\n  task-13 BLOCKED: retries", r.said())
	require.ErrorContains(t, err, "\n  task-1 UNCLAIMED: task-1 is at level 2 and waits for level 1 of goal-1: task-13 is BLOCKED; git liza show task-1\n")
	require.ErrorContains(t, err, "\n  2 more wait: git liza status")
	require.Equal(t, board.Merged, w.task("task-14").Status)
	require.Empty(t, w.moves(board.ActLevel))
}

// A level whose gate fails wakes the planner with what the gate printed, and holds the
// next level until the task that mends it is merged. Several supervisors run it once.
func TestALevelFailsUntilItIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("goal", "schedule", "--barrier", "level")
	w.gate("whole", "level", `echo the state is $(cat state.txt); grep good state.txt`)
	w.levelled("1", "2")
	fix := `- id: fix
  title: Mend the state
  done_when: it is good
  spec: specs/vision.md
  scope: one file
  kind: docs
  level: 1
`
	w.write(filepath.Join(w.notes, "fix.yaml"), fix)
	script := w.agent(`case $LIZA_TASK in
task-1) intent; echo bad > state.txt; git add -A; git commit -q -m state; git liza submit $LIZA_TASK;;
fix) intent; echo good > state.txt; git add -A; git commit -q -m state; git liza submit $LIZA_TASK;;
*) submit;;
esac`)
	r, err := w.rush(planner(w.agent(`git liza task add --from "$notes/fix.yaml"`)), coder(script), coder(script), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	var claimed []board.TaskID
	for _, m := range w.moves(board.ActClaim) {
		claimed = append(claimed, m.Task)
	}
	require.Equal(t, []board.TaskID{"task-1", "fix", "task-2"}, claimed, r.said())
	var results []string
	for _, m := range w.moves(board.ActLevel) {
		d := m.Detail.(*flow.LevelMove)
		require.Len(t, d.Receipts, 1)
		results = append(results, "level "+strconv.Itoa(d.Level)+" "+d.Receipts[0].Result.String())
	}
	require.Equal(t, []string{"level 1 fail", "level 1 pass", "level 2 pass"}, results)
	require.Equal(t, 1, strings.Count(r.said(), "level 1 of goal-1 failed by "), r.said())
	prompt := w.note("prompt-planner-1-1")
	require.Contains(t, prompt, "level_failed: level 1 failed at ")
	require.Contains(t, prompt, "the state is bad")
	require.NotContains(t, r.said(), "leaves to a human", "the task that mends it answers the trigger")
	require.False(t, w.has("prompt-planner-1-2"), r.said())
	w.left()
}

// A task that is added to a level that passed holds the levels above until it is merged.
func TestATaskAddedToAPassedLevel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("goal", "schedule", "--barrier", "level")
	w.levelled("1", "2", "2")
	r := w.begin(untilIdle, coder(w.agent(`test $LIZA_TASK != task-2 || { : > "$notes/begun"; waitfor added; }; submit`)), reviewer(w.agent("approve")))
	w.await("work on level 2", func() bool { return w.has("begun") })
	w.levelled("1")
	w.write(filepath.Join(w.notes, "added"), "")
	require.NoError(t, r.wait(), r.said())
	var order []string
	for _, m := range w.history() {
		switch d := m.Detail.(type) {
		case *flow.ClaimMove:
			order = append(order, string(m.Task))
		case *flow.LevelMove:
			order = append(order, "level "+strconv.Itoa(d.Level))
		}
	}
	require.Equal(t, []string{"task-1", "level 1", "task-2", "task-4", "level 1", "task-3", "level 2"}, order)
}

// What a gate said of a tree is not asked again for another stage, or another commit of
// that tree, if it passed. If it failed it is.
func TestResultsOfGatesAreReused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	same := `echo x >> "` + w.notes + `/same"`
	w.gate("unit", "merge", same)
	w.gate("whole", "level", same)
	w.gate("more", "level", `echo x >> "`+w.notes+`/more"; test -e "`+w.notes+`/mended"`)
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "level 1 of goal-1: it failed at ", r.said())
	require.Equal(t, "x\n", w.note("same"), "the merge ran it, on the same tree")
	require.Equal(t, "x\n", w.note("more"))
	w.write(filepath.Join(w.notes, "mended"), "")
	commit := strings.TrimSpace(w.git("commit-tree", "integration^{tree}", "-p", "integration", "-m", "same"))
	w.liza("adopt", commit, "--reason", "the same tree")
	r, err = w.rush(coder(w.agent("submit")))
	require.NoError(t, err, r.said())
	require.Equal(t, "x\nx\n", w.note("same"), "what another process has found is not believed")
	require.Equal(t, "x\nx\n", w.note("more"), "a failure is never reused")
	w.liza("config", "gates.whole.command", same+"; true")
	w.liza("adopt", strings.TrimSpace(w.git("commit-tree", "integration^{tree}", "-p", "integration", "-m", "again")), "--reason", "the same tree")
	w.tasks(1)
	r, err = w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, "x\nx\nx\nx\n", w.note("same"), "the merge of another tree, and another command at the level")
}

// A level that stays failed keeps a rush from success, also if all tasks are merged.
func TestAFailedLevelIsNoSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gate("whole", "level", "false")
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	require.Len(t, stuck.Stalls, 1)
	require.Equal(t, "level 1 of goal-1", stuck.Stalls[0].Status)
	require.Equal(t, "git liza goal show goal-1 --level 1", stuck.Stalls[0].Hint)
	require.Len(t, w.moves(board.ActLevel), 1, "it is not run again on the same tip")
	require.Empty(t, w.moves(board.ActComplete))
}

// Before supervisors complete a goal its gates run, and the move has their receipts.
func TestGatesOfAGoal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gate("final", "goal", "cat task-2.txt")
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	w.tasks(1)
	slots := []supervise.Slot{coder(w.agent("submit")), reviewer(w.agent("approve"))}
	r, err := w.rush(slots...)
	require.NoError(t, err, r.said())
	require.Equal(t, 1, strings.Count(r.said(), "goal-1 cannot be completed: gate final fails"), r.said())
	require.Empty(t, w.moves(board.ActComplete))
	w.tasks(1)
	r, err = w.rush(slots...)
	require.NoError(t, err, r.said())
	done := w.moves(board.ActComplete)
	require.Len(t, done, 1, r.said())
	d := done[0].Detail.(*flow.CompleteMove)
	require.Len(t, d.Receipts, 1)
	require.Equal(t, w.board().Settings().Integration.Tip, d.Tip)
}

// What a required gate refuses is mended in the session. One that is not required holds
// nothing up, and is recorded.
func TestGatesAtASubmission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gate("style", "submit", "grep fine task-1.txt")
	w.gate("taste", "submit", "grep lovely task-1.txt")
	w.liza("config", "gates.taste.required", "false")
	w.tasks(1)
	r, err := w.rush(coder(w.agent(`intent; work; ! git liza submit $LIZA_TASK 2>"$notes/refused"
echo fine > task-1.txt; git commit -q -a -m fine; git liza submit $LIZA_TASK`)), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, w.note("refused"), "gate style fails")
	require.Equal(t, []string{"submitted"}, w.outcomes("coder-1"))
	results := map[string]board.Result{}
	for _, receipt := range w.moves(board.ActSubmit)[0].Detail.(*flow.SubmitMove).Gates {
		results[receipt.Gate] = receipt.Result
	}
	require.Equal(t, map[string]board.Result{"style": board.Pass, "taste": board.Fail}, results)
	require.Len(t, w.board().IDs(board.Anomalies), 1)
}

// A gate that cannot run here blames no task: the merge waits, the board says where the
// gate cannot run, and two hosts of them stop the board.
func TestAGateAtAMergeThatCannotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tool := filepath.Join(w.notes, "tool")
	w.gate("unit", "merge", tool)
	w.tasks(1)
	host, err := os.Hostname()
	require.NoError(t, err)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "task-1 APPROVED: gate unit cannot run on "+host+": it exits 127", r.said())
	require.Equal(t, 1, strings.Count(r.said(), "task-1 waits: gate unit cannot run on "+host), r.said())
	require.Empty(t, w.moves(board.ActIntegrationFail))
	require.Len(t, w.moves(board.ActOutage), 1)
	require.Len(t, board.OutagesOf(w.board()), 1)

	w.liza("gate", "outage", "unit", "--host", "another", "--error", "no tool")
	r, err = w.rush(reviewer(w.agent("approve")))
	require.ErrorContains(t, err, "CHECKPOINT: gate unit can run neither on "+host+" nor on another", r.said())
	w.liza("gate", "outage", "unit", "--host", "another", "--over")
	w.liza("checkpoint", "decide", "CONTINUE", "--message", "it comes back")

	w.write(tool, "#!/bin/sh\n")
	r, err = w.rush(reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Contains(t, r.said(), "gate unit runs on "+host+" again")
	require.Empty(t, board.OutagesOf(w.board()))
}

// The claim does not count among those that failed, and no other begins before the gate
// runs again.
func TestAGateAtASubmissionThatCannotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tool := filepath.Join(w.notes, "tool")
	w.gate("style", "submit", tool)
	w.tasks(2)
	slot := coder(w.agent(`test $n != 1 || test $LIZA_TASK != task-1 || submit 2>"$notes/refused"; git liza submit $LIZA_TASK || submit`))
	r, err := w.rush(slot)
	require.ErrorContains(t, err, "task-1 UNCLAIMED: gate style cannot run on ", r.said())
	require.Contains(t, w.note("refused"), "could not run on this machine")
	require.Equal(t, []string{"failed"}, w.outcomes("coder-1"))
	require.Nil(t, w.task("task-1").Retry)
	require.Len(t, board.OutagesOf(w.board()), 1)

	w.write(tool, "#!/bin/sh\n")
	r, err = w.rush(slot, reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Empty(t, board.OutagesOf(w.board()))
	require.Equal(t, []string{"failed", "submitted", "submitted"}, w.outcomes("coder-1"))
}

// What an agent forges about a gate excuses nothing: the supervisor tries the gate.
func TestAForgedOutageCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.attempts(1)
	w.gate("style", "submit", "true")
	w.tasks(1)
	_, err := w.rush(coder(w.agent(`c=$LIZA_CLONE/.git/liza/outages; mkdir -p "$c"
echo '{"gate":"style","said":"no"}' > "$c/coder-1"; exit 1`)))
	require.ErrorContains(t, err, "task-1 BLOCKED: retries")
	require.Empty(t, w.moves(board.ActOutage))
}
