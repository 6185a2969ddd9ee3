package work

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

func TestParseFolder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		id     flow.TaskID
		number int
		review bool
	}{
		{flow.TaskID("task-1").Folder(1), "task-1", 1, false},
		{flow.TaskID("task-1").Folder(12), "task-1", 12, false},
		{flow.TaskID("review").Folder(2), "review", 2, false},
		{reviewFolder("task-1", 3), "task-1", 3, true},
		{reviewFolder("review", 1), "review", 1, true},
		{"mine", "mine", 1, false},
		{"task-1@x", "", 0, false},
		{"task-1@0", "", 0, false},
		{"task-1@", "", 0, false},
	} {
		id, number, review := parseFolder(test.name)
		require.Equal(t, test.id, id, test.name)
		require.Equal(t, test.number, number, test.name)
		require.Equal(t, test.review, review, test.name)
	}
}
