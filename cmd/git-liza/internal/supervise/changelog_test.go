package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// When a sprint ends in which a spec changed, a planner's supervisor adds the task that
// enters it into the changelog, once; other supervisors do not, and a sprint without a
// change leaves none.
func TestRushAddsChangelogTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("record", "spec-change", "specs/vision.md", "--change", "Say more")
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActSprintClose), 1)
	require.Nil(t, w.board().Task("changelog-sprint-1"), "coders and reviewers add no tasks")
	require.NotContains(t, r.said(), "no task enters", "a planner may come")

	for range 2 {
		r, _ = w.rush(planner(w.agent("submit"))) // nobody is there to do the task
		require.NotNil(t, w.board().Task("changelog-sprint-1"), r.said())
	}
	require.Regexp(t, `(?m)^changelog-sprint-1 `, w.liza("list"))
	require.Len(t, w.moves(board.ActAdd), 2, "the task of the sprint, and this one")

	w.liza("task", "abandon", "changelog-sprint-1", "--reason", "by hand")
	w.tasks(1)
	r, err = w.rush(planner(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActSprintClose), 2)
	require.Nil(t, w.board().Task("changelog-sprint-2"), "no spec changed in it")
	require.Len(t, w.moves(board.ActAdd), 3)
}

// A planner adds the tasks of the sprints that ended while none was there, and those of the
// last one before supervisors complete the goal. The sprint of such a task leaves none.
func TestRushAddsChangelogTasksBeforeTheEndOfAGoal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, change := range []string{"Say more", "Say less"} {
		w.tasks(1)
		w.liza("record", "spec-change", "specs/vision.md", "--change", change)
		r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
		require.NoError(t, err, r.said())
	}
	w.liza("sprint", "start")
	w.liza("record", "spec-change", "specs/vision.md", "--change", "Say it")
	w.tasks(1)
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	r, err := w.rush(coder(w.agent(enter)), reviewer(w.agent("approve")), planner(w.agent("submit")))
	require.NoError(t, err, r.said())
	b := w.board()
	for _, id := range []board.TaskID{"changelog-sprint-1", "changelog-sprint-2", "changelog-sprint-3"} {
		require.NotNil(t, b.Task(id), r.said())
		require.Equal(t, board.Merged, b.Task(id).Status, r.said())
	}
	require.Len(t, w.moves(board.ActAdd), 6)
	require.Equal(t, board.Completed, b.Goal("goal-1").Status, r.said())
}

// enter does tasks, those for the changelog too.
const enter = `case $LIZA_TASK in changelog-*)
	git liza record spec-change specs/CHANGELOG.md --change Entered
	work() { echo "$LIZA_TASK" >> specs/CHANGELOG.md; git add specs; git commit -qm "$LIZA_TASK"; }
esac; submit`

// A sprint that would end with its goal, because it planned nothing, has its task before.
func TestRushAddsChangelogTaskOfASprintThatEndsWithItsGoal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("task", "add", "--title", "A file", "--done-when", "it is there", "--spec", "specs/vision.md", "--scope", "one file", "--kind", "docs", "--stretch")
	w.liza("record", "spec-change", "specs/vision.md", "--change", "Say more")
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	r, err := w.rush(planner(w.agent("submit")), coder(w.agent(enter)), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("changelog-sprint-1").Status)
	require.Equal(t, board.Completed, w.board().Goal("goal-1").Status)
	require.NotContains(t, r.said(), "no task enters")
}

// Where specs changed, the end of a goal is left to a planner of another rush, as long as
// the board moves. Without a planner the goal ends, and the rush says what is not entered.
func TestRushLeavesTheEndOfAGoalToAPlanner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("record", "spec-change", "specs/vision.md", "--change", "Say more")
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	generation := board.Generation("0123456789abcdef")
	_, err := w.clone.Make(t.Context(), board.ActRegister, "", &flow.RegisterMove{Agent: "planner-9", Generation: generation})
	require.NoError(t, err)
	crew := []supervise.Slot{coder(w.agent("submit")), reviewer(w.agent("approve"))}
	r, err := w.rush(crew...)
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(board.ActSprintClose), 1)
	require.Equal(t, board.InProgress, w.board().Goal("goal-1").Status, r.said())

	w.liza("agents", "remove", "planner-9")
	r, err = w.rush(crew...)
	require.NoError(t, err, r.said())
	require.Equal(t, board.Completed, w.board().Goal("goal-1").Status, r.said())
	require.Contains(t, r.said(), "goal-1: specs changed in sprint-1, and no task enters that into specs/CHANGELOG.md: git liza sprint changelog sprint-1\n")
}

// Moves of long ago that cannot be read keep a planner from no other work.
func TestRushGoesOnWithoutTheMovesOfASprint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("record", "spec-change", "specs/vision.md", "--change", "Say more")
	lost := strings.TrimSpace(w.git("rev-parse", "refs/liza/state"))
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.NoError(t, os.Remove(filepath.Join(w.dir, ".git", "objects", lost[:2], lost[2:])))
	w.config(func(c *board.Config) { c.Goal.Auto = true })
	r, err = w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")), planner(w.agent("submit")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "the moves of sprint-1 cannot be read")
	require.Equal(t, board.Completed, w.board().Goal("goal-1").Status, r.said())
}
