package gitstore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestDocumentPath(t *testing.T) {
	t.Parallel()
	for want, k := range map[string]board.Key{
		"liza.yaml":                  {Folder: board.SettingsDoc},
		"principals.yaml":            {Folder: board.PrincipalsDoc},
		"breaker.yaml":               {Folder: board.BreakerDoc},
		"goals/goal-1.yaml":          {Folder: board.Goals, ID: "goal-1"},
		"sprints/sprint-12.yaml":     {Folder: board.Sprints, ID: "sprint-12"},
		"tasks/03/task-3.yaml":       {Folder: board.Tasks, ID: "task-3"},
		"tasks/13/task-13.yaml":      {Folder: board.Tasks, ID: "task-13"},
		"tasks/0x/x.yaml":            {Folder: board.Tasks, ID: "x"},
		"tasks/ab/Fix.AB.yaml":       {Folder: board.Tasks, ID: "Fix.AB"},
		"tasks/0b/a.b.yaml":          {Folder: board.Tasks, ID: "a.b"},
		"tasks/00/a_-.yaml":          {Folder: board.Tasks, ID: "a_-"},
		"archive/03/sk/task-3.yaml":  {Folder: board.Archive, ID: "task-3"},
		"archive/45/23/t12345.yaml":  {Folder: board.Archive, ID: "t12345"},
		"archive/bc/0a/abc.yaml":     {Folder: board.Archive, ID: "abc"},
		"archive/0x/00/x.yaml":       {Folder: board.Archive, ID: "x"},
		"agents/02/coder-2.yaml":     {Folder: board.Agents, ID: "coder-2"},
		"anomalies/sprint-1/3.yaml":  {Folder: board.Anomalies, ID: "sprint-1/3"},
		"discovered/sprint-1/4.yaml": {Folder: board.Discovered, ID: "sprint-1/4"},
		"notes/sprint-2/50.yaml":     {Folder: board.Notes, ID: "sprint-2/50"},
	} {
		require.Equal(t, want, DocumentPath(k))
		back, ok := keyOf(want)
		require.True(t, ok, want)
		require.Equal(t, k, back, want)
	}
}

func TestPathsWhereNoDocumentBelongs(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"", "README", "liza.yml", "Liza.yaml", "liza.yaml/x", "tasks", "tasks/task-3.yaml", "tasks/04/task-3.yaml",
		"tasks/03/task-3", "tasks/03/x/task-3.yaml", "tasks/0b/a/b.yaml", "Tasks/03/task-3.yaml", "archive/03/task-3.yaml",
		"archive/sk/03/task-3.yaml", "goals/a/b.yaml", "anomalies/3.yaml", "notes/a/b/3.yaml", "agents/coder-1.yaml", "other/x.yaml",
	} {
		_, ok := keyOf(path)
		require.False(t, ok, path)
	}
}
