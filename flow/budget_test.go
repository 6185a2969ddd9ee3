package flow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// The usage of sessions that run counts for the budgets that pay for them, and for
// no other.
func TestBudgetBesideSessionsThatRun(t *testing.T) {
	t.Parallel()
	s := opened(t)
	require.Nil(t, s.play(s.by("human:ann", board.ActAdd, "", &AddMove{Tasks: words{}.inputs([]string{"task-1", "task-2"})})))
	spent := func(task board.TaskID, tokens int64, cost board.Cost) board.Spending {
		by := board.AgentID("planner-1")
		if task != "" {
			by = "coder-" + board.AgentID(task[len(task)-1:])
		}
		return board.Spending{By: by, Task: task, Usage: board.Usage{Output: tokens, Cost: cost}}
	}
	running := []board.Spending{spent("task-1", 30, 0), spent("task-2", 20, 500_000), spent("", 10, 0), spent("gone", 1000, 0)}
	_, bounded := RemainingBudget(s.board, "", "task-1", running...)
	require.False(t, bounded)
	require.Nil(t, CheckBudget(s.board, "", "task-1", running...))

	config := s.board.Settings().Config
	config.Budgets = board.Budgets{Task: board.Budget{Tokens: 50}, Sprint: board.Budget{Tokens: 75, Cost: 1_000_000}}
	require.Nil(t, s.play(s.by("human:ann", board.ActConfig, "", &ConfigMove{Config: config})))
	for id, want := range map[board.TaskID]board.Budget{"task-1": {Tokens: 15, Cost: 500_000}, "task-2": {Tokens: 15, Cost: 500_000}, "": {Tokens: 15, Cost: 500_000}} {
		left, bounded := RemainingBudget(s.board, "", id, running...)
		require.True(t, bounded)
		require.Equal(t, want, left, id)
	}
	left, _ := RemainingBudget(s.board, "", "task-1", running[0])
	require.Equal(t, board.Budget{Tokens: 20, Cost: 1_000_000}, left, "its own")
	left, _ = RemainingBudget(s.board, "", "task-2", running[0])
	require.Equal(t, board.Budget{Tokens: 45, Cost: 1_000_000}, left, "the sprint's")
	require.Nil(t, CheckBudget(s.board, "", "task-1", running...))

	running = append(running, spent("task-2", 40, 0))
	r := CheckBudget(s.board, "", "task-1", running...)
	requireHelpful(t, r)
	require.Equal(t, "the budget of sprint-1 is spent with running sessions, most by coder-2: 100 of 75 tokens", r.Reason)
	require.Equal(t, "git liza config budgets.sprint.tokens 175", r.Hint)
	r = CheckBudget(s.board, "", "task-2", running...)
	require.Equal(t, "the budget of task-2 is spent with running sessions, most by coder-2: 60 of 50 tokens", r.Reason)
	require.Nil(t, CheckBudget(s.board, "", "task-1"), "the board itself has nothing of it")

	lie := spent("task-2", board.MaxSum/2, board.MaxCost/2)
	require.Equal(t, "git liza config budgets.sprint.tokens 225", CheckBudget(s.board, "", "task-1", lie).Hint)
}
