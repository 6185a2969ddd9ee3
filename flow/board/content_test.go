package board

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Boards of one source share what they read of it, and nothing that a move has changed.
func TestChangesOfABoardAreItsOwn(t *testing.T) {
	t.Parallel()
	b := Open(Documents{}.With([]Edit{{Key{Tasks, "one"}, &Task{ID: "one"}}}), time.Time{})
	with := WithTasks(b, &Task{ID: "two"})
	require.Equal(t, []string{"one", "two"}, with.IDs(Tasks))
	require.Equal(t, []string{"one"}, b.IDs(Tasks))
	require.Equal(t, []string{"one", "two"}, with.IDs(Tasks))
}
