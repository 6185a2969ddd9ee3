package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseFolder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		id     TaskID
		number int
		review bool
	}{
		{TaskID("task-1").Folder(1), "task-1", 1, false},
		{TaskID("task-1").Folder(12), "task-1", 12, false},
		{TaskID("review").Folder(2), "review", 2, false},
		{TaskID("task-1").ReviewFolder(3), "task-1", 3, true},
		{TaskID("review").ReviewFolder(1), "review", 1, true},
		{"mine", "mine", 1, false},
		{"task-1@x", "", 0, false},
		{"task-1@0", "", 0, false},
		{"task-1@", "", 0, false},
	} {
		id, number, review := ParseFolder(test.name)
		require.Equal(t, test.id, id, test.name)
		require.Equal(t, test.number, number, test.name)
		require.Equal(t, test.review, review, test.name)
	}
}
