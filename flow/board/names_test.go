package board

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
		review Role
	}{
		{TaskID("task-1").Folder(1), "task-1", 1, ""},
		{TaskID("task-1").Folder(12), "task-1", 12, ""},
		{TaskID("review").Folder(2), "review", 2, ""},
		{TaskID("task-1").ReviewFolder(CodeReviewer, 3), "task-1", 3, CodeReviewer},
		{TaskID("review").ReviewFolder(CodeReviewer, 1), "review", 1, CodeReviewer},
		{TaskID("task-1").ReviewFolder("security-reviewer", 3), "task-1", 3, "security-reviewer"},
		{TaskID("review").ReviewFolder("qa", 12), "review", 12, "qa"},
		{"review@task-1@3", "task-1", 3, CodeReviewer},
		{"review@task-1@3@security-reviewer", "task-1", 3, "security-reviewer"},
		{"mine", "mine", 1, ""},
		{"task-1@x", "", 0, ""},
		{"task-1@0", "", 0, ""},
		{"task-1@", "", 0, ""},
		{"task-1@1@qa", "", 0, ""},
		{"review@task-1@x@qa", "", 0, ""},
		{"review@task-1@1@", "", 0, ""},
		{"review@task-1@1@Qa", "", 0, ""},
		{"review@task-1@1@code-reviewer", "", 0, ""},
	} {
		id, number, review := ParseFolder(test.name)
		require.Equal(t, test.id, id, test.name)
		require.Equal(t, test.number, number, test.name)
		require.Equal(t, test.review, review, test.name)
	}
}
