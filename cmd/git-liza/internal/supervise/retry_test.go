package supervise_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// retryError is by what the last claim of a task failed, "" if none did.
func retryError(t *board.Task) string {
	if t.Retry == nil {
		return ""
	}
	return t.Retry.Error
}

// A session without a result ends its claim by its record. Agents wait after each, are
// told of it, and after three the task is blocked.
func TestClaimsThatFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	script := coder(w.agent(`test $n -lt 4 || { submit; exit; }; echo out of $(echo apples pears plums | cut -d' ' -f$n); echo x > junk$n; exit 7`))
	r, err := w.rush(script)
	require.ErrorContains(t, err, "task-1 BLOCKED: retries — 3 claims ended without a result: what stands in the way?; git liza answer task-1\n"+
		"    the last one: The program did not end well (exit 7).\n    out of plums")
	claims, sessions := w.moves(board.ActClaim), w.moves(board.ActSession)
	require.Len(t, claims, 3)
	require.Len(t, sessions, 3)
	require.Empty(t, w.moves(board.ActRelease))
	for i, m := range sessions {
		d := m.Detail.(*flow.SessionMove)
		require.Equal(t, claims[i].At, d.Of)
		require.Equal(t, "failed", d.Outcome)
		if i > 0 {
			require.GreaterOrEqual(t, claims[i].At.Sub(sessions[i-1].At), time.Second)
		}
	}
	require.Equal(t, "The program did not end well (exit 7).\nout of apples", sessions[0].Detail.(*flow.SessionMove).Error)
	said := timeless(r.said())
	require.Contains(t, said, "coder-1: task-1, session 1 ended without a result (exit 7 after 0s); what it said: git liza session show coder-1\n")
	require.Contains(t, said, "task-1 → UNCLAIMED: tried again in 1s, 1 of 3 failed\n")
	require.Contains(t, said, "task-1 → UNCLAIMED: tried again in 1s, 2 of 3 failed\n")
	require.Contains(t, said, "task-1 → BLOCKED (retries) on session by coder-1\n")
	require.NotContains(t, w.note("prompt-coder-1-1"), "How the previous session failed")
	prompt := w.note("prompt-coder-1-3")
	require.Contains(t, prompt, "| The program did not end well (exit 7).\n| out of pears\n| 2 files are not committed: junk1, junk2\n")
	require.Empty(t, w.board().IDs(board.Agents))
	w.left()
	w.liza("task", "unblock", "task-1")
	require.Contains(t, w.liza("session", "prompt", "coder", "task-1"), "| out of plums\n")
	_, err = w.rush(script)
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW")
	require.Contains(t, w.note("prompt-coder-1-4"), "| out of plums\n")
}

// What the board says of a failure holds for the next supervisor too.
func TestBackoffHoldsOverARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) {
		c.Retry.Base, c.Retry.Max = board.Duration(3*time.Second), board.Duration(3*time.Second)
	})
	w.tasks(1)
	slot := coder(w.agent(`test $n != 1 || { echo the parser is missing; exit 7; }; submit`))
	r := w.begin(nil, slot)
	w.until("the failure", func(b *board.Board) bool { return b.Task("task-1").Retry != nil })
	r.cancel()
	require.NoError(t, r.wait())
	until := w.task("task-1").Retry.NotBefore
	r, err := w.rush(slot)
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW", r.said())
	claims := w.moves(board.ActClaim)
	require.Len(t, claims, 2)
	require.False(t, claims[1].At.Before(until), "%s is before %s", claims[1].At, until)
	require.Contains(t, w.note("prompt-coder-1-2"), "the parser is missing")
	require.Nil(t, w.task("task-1").Retry)
}

// When half of the claims of a goal fail, fewer tasks of it are worked on at once, until
// it goes well again.
func TestPressureFallsAndRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(6)
	script := w.agent(`if mkdir "$notes/failed-$LIZA_TASK" 2>/dev/null; then echo trouble $(echo $LIZA_TASK | tr 0-9 a-j); exit 1; fi; submit`)
	r, err := w.rush(coder(script), coder(script), coder(script), coder(script), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActMerge), 6)
	_, tip, err := w.clone.Store.Board(t.Context())
	require.NoError(t, err)
	capped, before, held := 0, 0, 0
	var events []gitstore.Event
	require.NoError(t, w.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		events = append(events, e)
		return true, nil
	}))
	for _, e := range slices.Backward(events) {
		b, err := w.clone.Store.BoardAt(e.Commit)
		require.NoError(t, err)
		claimed, limit := 0, 0
		for _, task := range b.Tasks() {
			if task.Status == board.Claimed {
				claimed++
			}
		}
		if list := b.Goal("goal-1").Pressure; len(list) > 0 {
			limit = list[0].Cap
		}
		if before > 0 && e.Move.Act == board.ActClaim {
			require.LessOrEqual(t, claimed, before, "a claim over the cap")
		}
		if before == 0 && limit > 0 {
			require.Equal(t, max(1, (claimed+1)/2), limit, "half of the claims, with the one that failed")
		}
		if limit > 0 && claimed >= limit {
			held += keptBack(t, b, e.Move.At)
		}
		capped, before = max(capped, limit), limit
	}
	require.Positive(t, held, "no task was kept back")
	require.Positive(t, capped)
	require.Zero(t, w.board().Goal("goal-1").Pressure[0].Cap)
}

// keptBack is how many tasks wait for agents on a board, of which none can be claimed by
// any more of them, although it waited long enough after it failed.
func keptBack(t *testing.T, b *board.Board, at time.Time) (waiting int) {
	for _, task := range b.Tasks() {
		if task.Status == board.Unclaimed {
			require.NotContains(t, flow.Acts(b, task.ID, flow.Caller{By: "coder-9"}, at.Add(time.Minute)), board.ActClaim, task.ID)
			waiting++
		}
	}
	return waiting
}

// One task that fails again and again is blocked, and stops nothing else.
func TestOneTaskThatFailsIsBlockedAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) {
		c.Retry.Base, c.Retry.Max = board.Duration(time.Second), board.Duration(time.Second)
	})
	w.tasks(1)
	r, err := w.rush(coder(w.agent(`echo "cannot reach 10.0.0.$n at $LIZA_WORKTREE/x"; exit 1`)))
	require.ErrorContains(t, err, "task-1 BLOCKED", r.said())
	require.True(t, w.board().Settings().Control.State.IsRunning())
	w.tasks(2)
	r, err = w.rush(coder(w.agent(`echo "cannot reach 10.0.0.$n at $LIZA_WORKTREE/x"; exit 1`)))
	require.ErrorContains(t, err, "CHECKPOINT: circuit breaker: failure_streak", r.said())
}

// Three failures in a row with the same error stop the board, whatever the tasks.
func TestAFailureStreakTripsTheBreaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) {
		c.Retry.Base, c.Retry.Max = board.Duration(time.Hour), board.Duration(time.Hour) // longer than the three take
	})
	w.tasks(3)
	r, err := w.rush(coder(w.agent(`echo "cannot reach 10.0.0.$n at $LIZA_WORKTREE/x"; exit 1`)))
	require.ErrorContains(t, err, "CHECKPOINT: circuit breaker: failure_streak", r.said())
	require.Len(t, w.moves(board.ActSession), 3)
	var claimed []board.TaskID
	for _, m := range w.moves(board.ActClaim) {
		claimed = append(claimed, m.Task)
	}
	require.Equal(t, []board.TaskID{"task-1", "task-2", "task-3"}, claimed)
}
