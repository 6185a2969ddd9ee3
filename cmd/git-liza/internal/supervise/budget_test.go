package supervise_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// A session that uses up the budget while it runs is ended, and the task
// blocked with the command that gives it more.
func TestBudgetEndsARunningSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Task.Tokens = 1000 })
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.fake(`began s
if test $n = 1; then turn 1 600; echo $$ > "$notes/pid"; turn 2 600; sleep 1000; fi
submit; ended done`, nil)))
	require.ErrorContains(t, err, "task-1 BLOCKED: budget: the budget of task-1 is spent: 1200 of 1000 tokens", r.said())
	w.gone("pid")
	require.Equal(t, []string{"budget"}, w.outcomes("coder-1"))
	require.Equal(t, int64(1200), w.task("task-1").Usage.Tokens())
	hint := "git liza config budgets.task.tokens 2200"
	require.Equal(t, []string{"May it cost more? " + hint}, w.task("task-1").Block.Questions)

	w.config(func(c *board.Config) { c.Budgets.Task.Tokens = 2200 })
	w.liza("task", "unblock", "task-1", "--unanswered")
	r, err = w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
}

// A session whose program reports its cost while it runs is ended too.
func TestCostEndsARunningSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Sprint.Cost = 200_000 })
	r, err := w.rush(coder(w.speaks("opencode", `echo $$ > "$notes/pid"
step() { echo '{"type":"step_finish","sessionID":"s","part":{"id":"'$1'","type":"step-finish","reason":"tool-calls","cost":0.15,"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}}'; }
step one; step two; sleep 1000`)))
	require.ErrorContains(t, err, "task-1 BLOCKED: budget: the budget of sprint-1 is spent: 0.3 of 0.2 dollars", r.said())
	w.gone("pid")
	require.Equal(t, []string{"budget"}, w.outcomes("coder-1"))
}

// Dollars bound one session, too: it ends, and another goes on with its work.
func TestCostEndsASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Session.Cost = 200_000 })
	r, err := w.rush(coder(w.speaks("opencode", `if [ -e "$notes/pid" ]; then git liza block task-1 --reason r --question q; exit; fi
echo $$ > "$notes/pid"
step() { echo '{"type":"step_finish","sessionID":"s","part":{"id":"'$1'","type":"step-finish","reason":"tool-calls","cost":0.15,"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}}'; }
step one; step two; sleep 1000`)))
	require.ErrorContains(t, err, "task-1 BLOCKED", r.said())
	require.Contains(t, r.said(), "(ended after 22 tokens and 0.3 dollars, the budget of a session; git liza config budgets.session)")
	w.gone("pid")
	require.Equal(t, []string{"handoff", "blocked"}, w.outcomes("coder-1"))
}

// A task that has used up its budget is given to nobody any more; a session
// that is over has been paid, and its move counts.
func TestSpentBudgetSpawnsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Task.Cost = 250_000 }) // what one session costs
	r, err := w.rush(coder(w.fake(`began s; submit; ended done`, nil)))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW", r.said())
	r, err = w.rush(reviewer(w.agent("approve")))
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	require.Equal(t, "READY_FOR_REVIEW", stuck.Stalls[0].Status)
	require.Equal(t, "the budget of task-1 is spent: 0.25 of 0.25 dollars", stuck.Stalls[0].Why)
	require.Equal(t, "git liza config budgets.task.cost 0.5", stuck.Stalls[0].Hint)
	require.Zero(t, w.sessions("code-reviewer-1", "task-1"))
	w.left()
}

// A budget that ends between two sessions on a task blocks it as well. A session that has
// written its end record is over, also where its process is ended for the budget.
func TestBudgetBetweenSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Goal.Tokens = 20 })
	_, err := w.rush(coder(w.fake(`began s; ended done; test $n = 1 || sleep 1000`, nil)))
	require.ErrorContains(t, err, "task-1 UNCLAIMED: the budget of goal-1 is spent: 30 of 20 tokens")
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck)
	require.Equal(t, "git liza config budgets.goal.tokens 50", stuck.Stalls[0].Hint, "unblocked it would not be begun")
	require.Equal(t, []string{"nothing", "nothing"}, w.outcomes("coder-1"))
}

// A reviewer that uses up the budget gives its review back; that is no review
// without verdict.
func TestBudgetEndsAReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Task.Tokens = 1000 })
	_, err := w.rush(coder(w.agent("submit")), reviewer(w.fake(`began r; turn 1 2000; sleep 1000`, nil)))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW: the budget of task-1 is spent: 2000 of 1000 tokens")
	require.Equal(t, []string{"budget"}, w.outcomes("code-reviewer-1"))
	require.Zero(t, w.task("task-1").Judgement(board.CodeReviewer).NoVerdicts)
}

// Planning is paid by sprint and goal. Where they have nothing left no planner
// is spawned, which is said once.
func TestBudgetOfPlanning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) { c.Budgets.Sprint.Tokens = 10 })
	slot := planner(w.fake(`began p; ended "no idea"`, nil))
	r, err := w.rush(slot)
	var stuck *supervise.Stuck
	require.ErrorAs(t, err, &stuck, r.said())
	require.Contains(t, stuck.Error(), "planner-1 waits: the budget of sprint-1 is spent: 15 of 10 tokens")
	require.Equal(t, 1, w.sessions("planner-1", ""))
	require.Contains(t, r.said(), "planner-1 does not plan: the budget of sprint-1 is spent: 15 of 10 tokens; git liza config budgets.sprint.tokens 25\n")
}

// A supervisor without work spends nothing and writes nothing, as long as there
// is none.
func TestIdleRushSpendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("claim", "task-1", "--as", "coder-9")
	w.liza("block", "task-1", "--as", "coder-9", "--reason", "no key", "--question", "Where?")
	before := strings.Count(w.liza("log"), "\n")
	idle := func(p supervise.Slot) supervise.Slot { p.MaxWait = 2 * time.Second; return p }
	r := w.begin(func(r *supervise.Rush) { r.Limits.Plans = 1 }, idle(planner(w.fake("began p; ended nothing", nil))),
		idle(coder(w.fake("began s; submit", nil))), idle(reviewer(w.fake("began r; approve", nil))))
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, r.said(), "coder-1: nothing to do for 2s")
	require.Equal(t, 1, w.sessions("planner-1", ""))
	require.Zero(t, w.sessions("coder-1", "task-1"))
	require.Len(t, w.moves(board.ActSession), 1)
	require.Equal(t, before+7, strings.Count(w.liza("log"), "\n"), "three came and went, and one session: %s", w.liza("log"))
}
