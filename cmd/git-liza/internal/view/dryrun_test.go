package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// What waits for a planner, for a person or for what has ended is not worked off, nor what
// waits for that; what is submitted is done.
func TestWorkable(t *testing.T) {
	t.Parallel()
	node := func(id board.TaskID, status board.Status, waits ...board.TaskID) GraphNode {
		return GraphNode{ID: id, Status: status, Waits: waits, input: &board.TaskInput{}}
	}
	g := Graph{Nodes: []GraphNode{node("a", board.Unclaimed), node("b", board.Blocked), node("c", board.Unclaimed, "a", "b"), node("d", board.Rejected, "a", "e"),
		node("e", board.ReadyForReview), node("f", board.Unclaimed, "d", "e"), node("g", board.Unclaimed, "gone"), node("h", board.Draft), node("i", board.Approved, "a"), node("gone", board.Abandoned)}}
	g.link("")
	p, kept := g.workable()
	require.Equal(t, []board.TaskID{"b", "c", "g", "h"}, kept)
	var left []board.TaskID
	needs := map[board.TaskID][]board.TaskID{}
	for _, one := range p.Tasks {
		left, needs[one.ID] = append(left, one.ID), one.DependsOn
	}
	require.Equal(t, []board.TaskID{"a", "d", "f"}, left)
	require.Equal(t, map[board.TaskID][]board.TaskID{"a": nil, "d": {"a"}, "f": {"d"}}, needs)
}

// A screen of 80 characters shows the whole of a dry run, and hostile titles as text.
func TestDryRunText(t *testing.T) {
	t.Parallel()
	v := DryRun{
		Agents: []FirstStep{{Agent: "planner-1", Provider: "claude", Does: "plan", Why: "no_tasks"}, {Agent: "coder-1", Provider: "claude", Does: "claim", Task: "a", Title: "One\x1b[31m\nand more"},
			{Agent: "coder-2", Does: "wait", Why: "a is kept", Command: "git liza trust HASH"}, {Agent: "coder-3", Does: "wait", Why: "a is kept", Command: "git liza trust HASH"}},
		Merges:  []board.TaskID{"m", "n"},
		Goals:   []GoalDryRun{{Goal: "goal-1", Tasks: 3, Levels: []LevelDryRun{{1, "base", 2}, {2, "", 1}}, Work: 9000, Critical: []board.TaskID{"a", "c"}, Path: 5400, Barrier: "level", Agents: 2, Seconds: 5400}, {Goal: "goal-2", Kept: []board.TaskID{"x"}}, {Goal: "goal-3", Tasks: 1, Levels: []LevelDryRun{{1, "", 1}}, Work: 60, Path: 60, Critical: []board.TaskID{"y"}}, {Goal: "goal-4"}},
		Budgets: []string{"goal-1: left 3 tokens"},
	}
	require.Equal(t, `
begins with
  planner-1  claude  plans: no_tasks
  coder-1    claude  claims a  One^[[31m and more
  coder-2            waits: a is kept; git liza trust HASH
  coder-3            waits: a is kept

merges  m, n
goal-1  3 tasks in 2 levels, 2h30m of work, about 1h30m with 2 agents, level by
        level; longest chain 1h30m, a → c
levels  L1 base (2), L2 (1)
goal-2  1 more waits for a planner or a person, such as x
goal-3  1 task in 1 level, 1m of work, and no agent for it; longest chain 1m, y
goal-4  no task for agents
budget  goal-1: left 3 tokens
`, v.Text(80))
}
