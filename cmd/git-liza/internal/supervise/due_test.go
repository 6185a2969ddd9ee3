package supervise_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A sprint closes when its planned tasks are final, the next opens for a task, and where
// people allow it the goal is reached. A person who comes later changes nothing.
func TestRushMakesDueMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Regexp(t, `(?m)^sprint-1 closed by (coder-[12]|code-reviewer-1): 2 of 2 planned final$`, r.said())
	require.Len(t, w.moves(board.ActSprintClose), 1)
	require.Empty(t, w.moves(board.ActSprintStart), "no sprint is opened for nothing")
	require.Equal(t, board.InProgress, w.board().Goal("goal-1").Status)

	w.tasks(1)
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	r, err = w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	// While one supervisor opens the sprint, another one claims the task.
	require.Regexp(t, `(?m)^task-3 claimed by coder-1$`, r.said())
	require.Regexp(t, `(?ms)^sprint-2 opened by .*^sprint-2 closed by .*: 1 of 1 planned final$.*^goal-1 → COMPLETED \(all tasks are final\) by `, r.said())
	require.Equal(t, board.Completed, w.board().Goal("goal-1").Status)
	for act, times := range map[board.Act]int{board.ActSprintClose: 2, board.ActSprintStart: 1, board.ActComplete: 1} {
		require.Len(t, w.moves(act), times, act)
	}
	require.Contains(t, w.liza("goal", "done", "goal-1"), "goal-1 COMPLETED")
	require.Len(t, w.moves(board.ActComplete), 1)
}

// A rush for one goal closes no sprint of another.
func TestRushMakesDueMovesOfItsGoal(t *testing.T) {
	t.Parallel()
	w := threeGoals(t)
	for _, id := range []string{"task-1", "task-2", "task-3", "task-4"} {
		w.liza("task", "abandon", id, "--reason", "no more")
	}
	r := w.begin(func(r *supervise.Rush) { r.Goal, r.UntilIdle = "goal-1", true }, reviewer(w.agent("approve")))
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, board.SprintID(""), w.board().OpenSprint("goal-1"))
	require.Equal(t, board.SprintID("sprint-2"), w.board().OpenSprint("goal-2"))
}

// A deadline that is over makes one checkpoint, whatever is decided at it, and one that
// is to come keeps no rush from its end.
func TestRushMakesCheckpointAtDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("sprint", "close")
	w.liza("sprint", "start", "--deadline", "2s")
	w.tasks(1)
	r := w.begin(nil, reviewer(w.agent("approve")))
	w.until("the checkpoint", func(b *board.Board) bool { return b.Settings().Control.State == board.Checkpoint })
	w.await("word of it", func() bool {
		return strings.Contains(r.said(), "board → CHECKPOINT (checkpoint-1: the deadline of sprint-2 is over) by code-reviewer-1; git liza checkpoint decide CONTINUE --message M\n")
	})
	w.liza("checkpoint", "decide", "CONTINUE", "--message", "go on")
	w.liza("task", "abandon", "task-1", "--reason", "no more")
	w.until("the end of the sprint", func(b *board.Board) bool { return b.OpenSprint("goal-1") == "" })
	r.cancel()
	require.NoError(t, r.wait())
	require.Contains(t, r.said(), "CONTINUE (go on) decided by human:ann-example, board → RUNNING\n")
	made := w.moves(board.ActCheckpoint)
	require.Len(t, made, 1)
	require.Equal(t, &flow.CheckpointMove{Reason: "the deadline of sprint-2 is over", Cause: board.CauseDeadline, Since: "sprint-1"}, made[0].Detail)
	require.Equal(t, board.GoalID("goal-1"), made[0].Goal)

	w.liza("sprint", "start", "--deadline", "9h")
	_, err := w.rush(reviewer(w.agent("approve")))
	require.NoError(t, err)
}

// So many merges, or so much of the budget, make a checkpoint, and work goes on after a
// decision.
func TestRushMakesCheckpointByFigures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(4)
	w.config(func(c *board.Config) { c.Checkpoint.Every = 2 })
	// No third task is merged while nobody has looked at the board yet.
	crew := []supervise.Slot{coder(w.agent("case $LIZA_TASK in task-[34]) waitfor checked; esac; submit")), reviewer(w.agent("approve"))}
	r := w.begin(untilIdle, crew...)
	w.until("the checkpoint", func(b *board.Board) bool { return b.Settings().Control.State == board.Checkpoint })
	w.write(filepath.Join(w.notes, "checked"), "")
	require.ErrorContains(t, r.wait(), "CHECKPOINT: 2 merges of goal-1 since sprint-1; git liza checkpoint decide ", r.said())
	w.config(func(c *board.Config) {
		c.Checkpoint.Every, c.Checkpoint.Share = 0, 50
		c.Budgets.Goal.Tokens = 1000
	})
	w.liza("checkpoint", "decide", "CONTINUE", "--message", "go on")
	w.liza("session", "add", "--provider", "hand", "--outcome", "planned", "--input", "400", "--written", "100")
	r, err := w.rush(crew...)
	require.ErrorContains(t, err, "CHECKPOINT: goal-1 has used 50 % of its budget since checkpoint-1; git liza checkpoint decide ", r.said())
	w.liza("checkpoint", "decide", "CONTINUE", "--message", "go on")
	r, err = w.rush(crew...)
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActMerge), 4)
	require.Len(t, w.moves(board.ActCheckpoint), 2)
}

// Of many that make the same due move at the same time, without the lock that they share
// otherwise, one makes it, and nobody fails.
func TestDueMoveIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("task", "abandon", "task-1", "--reason", "no more")
	due := flow.DueMoves(w.board(), time.Now())
	require.Len(t, due, 1)
	var made atomic.Int32
	var all sync.WaitGroup
	for range 6 {
		clone := w.open()
		all.Go(func() {
			mine, err := clone.MakeDue(context.Background(), due[0])
			if err != nil {
				t.Error(err)
			}
			if mine {
				made.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(1), made.Load())
	require.Len(t, w.moves(board.ActSprintClose), 1)
}

// Three supervisors of one clone, or of three clones of a remote, and a person close and
// open each sprint once.
func TestThreeRushesMakeDueMovesOnce(t *testing.T) {
	t.Parallel()
	for name, clones := range map[string]func(w *world) []*world{
		"one clone": func(w *world) []*world { return []*world{w, w, w} },
		"three clones": func(w *world) []*world {
			w.share()
			return []*world{w.host("one"), w.host("two"), w.host("three")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var rushes []*exec.Cmd
			for _, c := range clones(w) {
				rushes = append(rushes, c.apart("approve", "--coders", "0", "--reviewers", "1"))
			}
			isOpen := func(open bool) func(*board.Board) bool {
				return func(b *board.Board) bool { return (b.OpenSprint("goal-1") != "") == open }
			}
			w.untilSynced("the rushes", func(b *board.Board) bool { return len(b.IDs(board.Agents)) == len(rushes) })
			const sprints = 3
			for n := range sprints {
				w.tasks(1)
				w.untilSynced("an open sprint", isOpen(true))
				w.liza("task", "abandon", fmt.Sprintf("task-%d", n+1), "--reason", "no more")
				w.try("sprint", "close") // too late or not
				w.untilSynced("the end of the sprint", isOpen(false))
			}
			var closed, opened []board.SprintID
			for _, m := range w.moves(board.ActSprintClose) {
				closed = append(closed, m.Detail.(*flow.SprintCloseMove).Sprint)
			}
			for _, m := range w.moves(board.ActSprintStart) {
				opened = append(opened, m.Detail.(*flow.SprintStartMove).Sprint)
			}
			require.Equal(t, []board.SprintID{"sprint-1", "sprint-2", "sprint-3"}, closed)
			require.Equal(t, []board.SprintID{"sprint-2", "sprint-3"}, opened)
			w.liza("fsck", "--full")
		})
	}
}

// untilSynced waits for a state of the board that other clones may bring about.
func (w *world) untilSynced(what string, holds func(*board.Board) bool) {
	w.Helper()
	w.awaitEach(100*time.Millisecond, what, func() bool {
		w.try("sync")
		return holds(w.board())
	})
}
