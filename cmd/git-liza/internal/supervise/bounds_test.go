package supervise_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// idle agents end well and do nothing.
const idleAgent = "exit 0"

// A budget does not bind a program that reports nothing: that is said before
// anybody is spawned, what it used is unknown, and the number of sessions binds it.
func TestSessionsBindWhereABudgetDoesNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.attempts(0)
	w.tasks(1)
	w.config(func(c *board.Config) {
		c.Budgets.Goal.Tokens, c.Budgets.Goal.Cost, c.Limits.Iterations = 1000, 25_000_000, 20
	})
	withoutTrips := func(bounds supervise.Bounds) func(*supervise.Rush) {
		return func(r *supervise.Rush) { r.UntilIdle, r.NoTrips, r.Bounds = true, true, bounds }
	}
	r := w.begin(withoutTrips(supervise.Bounds{}), coder(w.agent(idleAgent)))
	err := r.wait()
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	require.Contains(t, r.said(), "budgets do not bind: exec reports no tokens or dollars; instead there are at most 10 sessions and 120 minutes on a task, 100 and 1440 in a rush")
	require.Equal(t, "task-1 has had 10 of 10 sessions; its budget does not bind, since exec reports no tokens or dollars (budget)", stuck.Stalls[0].Why)
	for _, m := range w.moves(board.ActSession) {
		require.False(t, m.Detail.(*flow.SessionMove).Counted())
	}
	require.Equal(t, 10, w.task("task-1").Usage.Sessions)
	require.Equal(t, "git config liza.task.sessions 20", stuck.Stalls[0].Hint, "unblocked it would not be begun")

	err = w.begin(withoutTrips(supervise.Bounds{TaskSessions: 11}), coder(w.agent("submit"))).wait()
	require.ErrorAs(t, err, &stuck)
	require.Equal(t, "READY_FOR_REVIEW", stuck.Stalls[0].Status)
}

// A limit that a user sets binds every provider, whatever it reports: sessions on a task, and their
// minutes while one runs.
func TestBoundsThatAreSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	var stuck *supervise.Stuck
	_, err := w.bounded(supervise.Bounds{TaskSessions: 2}, coder(w.agent(idleAgent)))
	require.ErrorAs(t, err, &stuck)
	require.Contains(t, stuck.Stalls[0].Why, "task-1 has had 2 of 2 sessions (budget)")
	require.Equal(t, "git config liza.task.sessions 4", stuck.Stalls[0].Hint)

	took := 10*60 - 10 - w.task("task-1").Usage.Seconds // on a busy machine the two have taken seconds
	w.liza("session", "add", "task-1", "--provider", "p", "--outcome", "nothing", "--took", fmt.Sprintf("%ds", took))
	_, err = w.bounded(supervise.Bounds{TaskMinutes: 10}, coder(w.agent(`echo $$ > "$notes/pid"; sleep 1000`)))
	require.ErrorAs(t, err, &stuck)
	require.Contains(t, stuck.Stalls[0].Why, "budget: the sessions of task-1 have taken 10 of 10 minutes")
	require.Equal(t, "git config liza.task.minutes 20", stuck.Stalls[0].Hint)
	w.gone("pid")
}

// A rush that has had its sessions begins nothing more.
func TestBoundsOfARush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(3)
	var stuck *supervise.Stuck
	r, err := w.bounded(supervise.Bounds{RushSessions: 2}, coder(w.agent("submit")), planner(w.agent(idleAgent)))
	require.ErrorAs(t, err, &stuck, r.said())
	require.Equal(t, 2, w.sessions("coder-1", "task-1")+w.sessions("coder-1", "task-2"))
	require.Equal(t, "this rush has had 2 of 2 sessions (budget)", stuck.Stalls[2].Why)
	require.Equal(t, "git config liza.rush.sessions 4", stuck.Stalls[2].Hint)
}

func (w *world) bounded(b supervise.Bounds, slots ...supervise.Slot) (*rushing, error) {
	w.Helper()
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Bounds = true, b }, slots...)
	return r, r.wait()
}
