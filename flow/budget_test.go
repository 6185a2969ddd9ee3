package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The usage of sessions that run counts for the budgets that pay for them, and for
// no other.
func TestBudgetBesideSessionsThatRun(t *testing.T) {
	t.Parallel()
	s := opened(t)
	require.Nil(t, s.play(s.by("human:ann", ActAdd, "", &AddMove{Tasks: words{}.inputs([]string{"task-1", "task-2"})})))
	spent := func(task TaskID, tokens int64, cost Cost) Spending {
		by := AgentID("planner-1")
		if task != "" {
			by = "coder-" + AgentID(task[len(task)-1:])
		}
		return Spending{By: by, Task: task, Usage: Usage{Output: tokens, Cost: cost}}
	}
	running := []Spending{spent("task-1", 30, 0), spent("task-2", 20, 500_000), spent("", 10, 0), spent("gone", 1000, 0)}
	_, bounded := s.board.Left("", "task-1", running...)
	require.False(t, bounded)
	require.Nil(t, s.board.Budget("", "task-1", running...))

	config := s.board.Settings().Config
	config.Budgets = Budgets{Task: Budget{Tokens: 50}, Sprint: Budget{Tokens: 75, Cost: 1_000_000}}
	require.Nil(t, s.play(s.by("human:ann", ActConfig, "", &ConfigMove{Config: config})))
	for id, want := range map[TaskID]Budget{"task-1": {15, 500_000}, "task-2": {15, 500_000}, "": {15, 500_000}} {
		left, bounded := s.board.Left("", id, running...)
		require.True(t, bounded)
		require.Equal(t, want, left, id)
	}
	left, _ := s.board.Left("", "task-1", running[0])
	require.Equal(t, Budget{20, 1_000_000}, left, "its own")
	left, _ = s.board.Left("", "task-2", running[0])
	require.Equal(t, Budget{45, 1_000_000}, left, "the sprint's")
	require.Nil(t, s.board.Budget("", "task-1", running...))

	running = append(running, spent("task-2", 40, 0))
	r := s.board.Budget("", "task-1", running...)
	requireHelpful(t, r)
	require.Equal(t, "the budget of sprint-1 is spent with running sessions, most by coder-2: 100 of 75 tokens", r.Reason)
	require.Equal(t, "git liza config budgets.sprint.tokens 175", r.Hint)
	r = s.board.Budget("", "task-2", running...)
	require.Equal(t, "the budget of task-2 is spent with running sessions, most by coder-2: 60 of 50 tokens", r.Reason)
	require.Nil(t, s.board.Budget("", "task-1"), "the board itself has nothing of it")

	lie := spent("task-2", maxSum/2, maxCost/2)
	require.Equal(t, "git liza config budgets.sprint.tokens 225", s.board.Budget("", "task-1", lie).Hint)
}
