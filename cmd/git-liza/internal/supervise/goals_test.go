package supervise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// threeGoals are goal-1 with two tasks, goal-2, which comes first, with two, and goal-3
// without any, which comes last.
func threeGoals(t *testing.T) *world {
	w := newWorld(t)
	w.tasks(2)
	w.liza("goal", "set", "Urgent", "--spec", "specs/vision.md", "--priority", "1")
	w.tasks(2)
	w.liza("goal", "set", "Later", "--spec", "specs/vision.md", "--priority", "5")
	w.liza("goal", "focus", "goal-1") // supervisors and agents follow no focus
	return w
}

// Supervisors take the work of the goal that comes first, and a planner plans for one
// goal, which pays for its session.
func TestRushServesGoalsByPriority(t *testing.T) {
	t.Parallel()
	w := threeGoals(t)
	const env = `echo "$LIZA_GOAL" > "$notes/goal-of-$LIZA_AGENT_ID-$LIZA_TASK"; `
	r, err := w.rush(planner(w.agent(env+addOne)), coder(w.agent(env+"submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	var claimed []board.GoalID
	for _, m := range w.moves(board.ActClaim) {
		require.Equal(t, w.task(m.Task).Goal, m.Goal)
		claimed = append(claimed, m.Goal)
	}
	require.Equal(t, []board.GoalID{"goal-2", "goal-2", "goal-1", "goal-1", "goal-3"}, claimed, r.said())
	require.Equal(t, board.GoalID("goal-3"), w.task("task-5").Goal)
	require.Equal(t, "goal-3\n", w.note("goal-of-planner-1-"))
	require.Equal(t, "goal-2\n", w.note("goal-of-coder-1-task-3"))
	prompt := w.note("prompt-planner-1-1")
	require.Contains(t, prompt, "Later")
	require.NotContains(t, prompt, "task-3", "a planner of one goal is not told of the tasks of another")
	b := w.board()
	sessions := map[board.GoalID]int{"goal-1": 4, "goal-2": 4, "goal-3": 3}
	for goal, want := range sessions {
		require.Equal(t, want, b.Goal(goal).Usage.Sessions, goal)
		require.Equal(t, board.SprintID(""), b.OpenSprint(goal), "its planned tasks are final")
	}
	for _, id := range []board.SprintID{"sprint-1", "sprint-2", "sprint-3"} {
		require.Equal(t, sessions[b.Sprint(id).Goal], b.Sprint(id).Usage.Sessions, id)
	}
	w.left()
}

// A rush for one goal leaves all work of the others, and ends when there is none left of
// its own.
func TestRushServesOneGoal(t *testing.T) {
	t.Parallel()
	w := threeGoals(t)
	r := w.begin(func(r *supervise.Rush) { r.Goal, r.UntilIdle = "goal-1", true },
		planner(w.agent(addOne)), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, r.wait(), r.said())
	for id, want := range map[board.TaskID]board.Status{"task-1": board.Merged, "task-2": board.Merged, "task-3": board.Unclaimed, "task-4": board.Unclaimed} {
		require.Equal(t, want, w.task(id).Status, id)
	}
	require.Equal(t, 0, w.sessions("planner-1", ""), r.said())
	require.Nil(t, w.board().Task("task-5"))
	w.left()
}

// Agents leave the open tasks of a goal that has ended, and a rush ends without them.
func TestRushLeavesEndedGoals(t *testing.T) {
	t.Parallel()
	w := threeGoals(t)
	w.liza("goal", "done", "goal-2", "--force", "keep")
	w.liza("goal", "done", "goal-3")
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActMerge), 2)
	require.Equal(t, board.Unclaimed, w.task("task-3").Status)
}
