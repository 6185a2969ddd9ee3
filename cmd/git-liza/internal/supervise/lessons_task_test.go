package supervise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// When a sprint ends in which something went wrong, a planner's supervisor adds the task
// that writes down what it taught, once, where the board has librarians; what goes wrong
// with that task is no reason for another one.
func TestRushAddsLessonsTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := func() {
		r, _ := w.rush(planner(w.agent("submit"))) // nobody is there to do the tasks that it adds
		require.NotContains(t, r.said(), "cannot be added")
	}
	close := func() {
		r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
		require.NoError(t, err, r.said())
		plan()
	}
	w.tasks(1)
	w.liza("record", "anomaly", "workaround", "--task", "task-1", "--detail", "cause=the parser drops comments")
	close()
	require.Nil(t, w.board().Task("lessons-sprint-1"), "the board has no librarians")

	w.liza("role", "add", "librarian")
	w.tasks(1)
	close()
	require.Len(t, w.moves(board.ActSprintClose), 2)
	require.Nil(t, w.board().Task("lessons-sprint-2"), "nothing went wrong")
	added := w.board().Task("lessons-sprint-1")
	require.NotNil(t, added)
	require.Equal(t, board.Role("librarian"), added.Role)
	require.Equal(t, []string{".liza/knowledge/**"}, added.Owns)
	moves := len(w.moves(board.ActAdd))
	plan()
	require.Len(t, w.moves(board.ActAdd), moves)

	w.liza("task", "abandon", "lessons-sprint-1", "--reason", "there is nothing to say")
	close()
	require.Len(t, w.moves(board.ActAdd), moves)
}
