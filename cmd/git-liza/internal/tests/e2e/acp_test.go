package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/acp"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
	"github.com/git-liza/git-liza/flow/board"
)

// talk has gemini, as an ACP agent in a new workshop, do what the model says.
func talk(t *testing.T, m standin.Model, p acp.Prompt) (*workshop, proc.Result, transcript.Report, string) {
	t.Helper()
	path := commandLine(t, "gemini")
	w := newWorkshop(t, m, "gemini")
	var lines strings.Builder
	p.Dir, p.Text, p.Follow = w.dir, "Say hello in a file.", &lines
	r, report, err := acp.Run(t.Context(), proc.Command{Path: path, Args: []string{"--acp", "-m", "gemini-2.5-pro"}, Dir: w.dir, Env: w.env,
		Idle: 2 * time.Minute, Grace: 20 * time.Second}, p)
	require.NoError(t, err)
	require.Empty(t, w.model.Strays())
	return w, r, report, lines.String()
}

// calls are a tool for each kind of permission, one after the other.
func calls() standin.Script {
	file := func(name string) standin.Turn {
		return standin.Turn{Tools: []standin.Call{{Name: "write_file", Input: map[string]any{"file_path": name, "content": "hello\n"}}}}
	}
	return standin.Script{
		file("hello.txt"),
		{Tools: []standin.Call{{Name: "run_shell_command", Input: map[string]any{"command": "echo from the shell > shell.txt"}}}},
		{Text: "All is said."},
	}
}

func TestGeminiByACP(t *testing.T) {
	t.Parallel()
	t.Run("coder", func(t *testing.T) {
		t.Parallel()
		w, r, report, lines := talk(t, calls(), acp.Prompt{Role: board.Coder, Writes: true})
		require.True(t, r.Passed(), "%v %v\n%s", r.Reason, r.Code, r.Excerpt)
		require.Equal(t, transcript.Succeeded, report.End, report.Error)
		require.Equal(t, "All is said.", report.Text)
		require.NotEmpty(t, report.Session)
		require.Empty(t, report.Denied)
		require.Zero(t, report.Usage, "it counts wrongly")
		require.Equal(t, "gemini-2.5-pro", report.Model)
		require.FileExists(t, filepath.Join(w.dir, "hello.txt"), lines)
		require.FileExists(t, filepath.Join(w.dir, "shell.txt"), lines)
	})
	t.Run("reviewer", func(t *testing.T) {
		t.Parallel()
		w, _, report, lines := talk(t, calls(), acp.Prompt{Role: board.CodeReviewer})
		require.Equal(t, transcript.Succeeded, report.End, report.Error)
		require.Len(t, report.Denied, 1, lines)
		require.NoFileExists(t, filepath.Join(w.dir, "hello.txt"))
		require.FileExists(t, filepath.Join(w.dir, "shell.txt"), "commands are how a verdict is given")
	})
	t.Run("no key", func(t *testing.T) {
		t.Parallel()
		_, _, report, _ := talk(t, standin.Script{{Status: 401, Text: "API key not valid"}}, acp.Prompt{Role: board.Coder, Writes: true})
		require.Equal(t, transcript.Failed, report.End)
		require.Contains(t, report.Error, "API key not valid")
	})
}
