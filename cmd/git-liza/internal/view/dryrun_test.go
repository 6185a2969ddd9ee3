package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// What waits for a planner, for a person or for what has ended is not worked off, nor what
// waits for that; what is submitted is done.
func TestWorkable(t *testing.T) {
	t.Parallel()
	node := func(id flow.TaskID, status flow.Status, waits ...flow.TaskID) GraphNode {
		return GraphNode{ID: id, Status: status, Waits: waits, input: &flow.TaskInput{}}
	}
	g := Graph{Nodes: []GraphNode{node("a", flow.Unclaimed), node("b", flow.Blocked), node("c", flow.Unclaimed, "a", "b"), node("d", flow.Rejected, "a", "e"),
		node("e", flow.ReadyForReview), node("f", flow.Unclaimed, "d", "e"), node("g", flow.Unclaimed, "gone"), node("h", flow.Draft), node("i", flow.Approved, "a"), node("gone", flow.Abandoned)}}
	g.link("")
	p, kept := g.workable()
	require.Equal(t, []flow.TaskID{"b", "c", "g", "h"}, kept)
	var left []flow.TaskID
	needs := map[flow.TaskID][]flow.TaskID{}
	for _, one := range p.Tasks {
		left, needs[one.ID] = append(left, one.ID), one.DependsOn
	}
	require.Equal(t, []flow.TaskID{"a", "d", "f"}, left)
	require.Equal(t, map[flow.TaskID][]flow.TaskID{"a": nil, "d": {"a"}, "f": {"d"}}, needs)
}

// A screen of 80 characters shows the whole of a dry run, and hostile titles as text.
func TestDryRunText(t *testing.T) {
	t.Parallel()
	v := DryRun{
		Agents: []FirstStep{{Agent: "planner-1", Provider: "claude", Does: "plan", Why: "no_tasks"}, {Agent: "coder-1", Provider: "claude", Does: "claim", Task: "a", Title: "One\x1b[31m\nand more"},
			{Agent: "coder-2", Does: "wait", Why: "a is kept", Command: "git liza trust HASH"}, {Agent: "coder-3", Does: "wait", Why: "a is kept", Command: "git liza trust HASH"}},
		Merges:  []flow.TaskID{"m", "n"},
		Goals:   []GoalDryRun{{Goal: "goal-1", Tasks: 3, Levels: []LevelDryRun{{1, "base", 2}, {2, "", 1}}, Work: 9000, Critical: []flow.TaskID{"a", "c"}, Path: 5400, Barrier: "level", Agents: 2, Seconds: 5400}, {Goal: "goal-2", Kept: []flow.TaskID{"x"}}, {Goal: "goal-3", Tasks: 1, Levels: []LevelDryRun{{1, "", 1}}, Work: 60, Path: 60, Critical: []flow.TaskID{"y"}}, {Goal: "goal-4"}},
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
