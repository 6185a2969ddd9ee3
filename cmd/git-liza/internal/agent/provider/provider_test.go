package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { os.Exit(gittest.Run(m, gittest.ForLimits)) }

func TestParse(t *testing.T) {
	t.Parallel()
	for text, name := range map[string]string{"script": "script", "exec:cat": "exec", "exec:a b:c | d": "exec"} {
		p, err := provider.Builtin().Find(text, "/bin/git-liza")
		require.NoError(t, err, text)
		require.Equal(t, name, p.Name)
	}
	for _, text := range []string{"", "exec", "exec:", "exec: ", "script:x", "acp", "claude:", "nobody"} {
		_, err := provider.Builtin().Find(text, "/bin/git-liza")
		require.Error(t, err, text)
	}
}

// run runs a shell command as a coder's session.
func run(t *testing.T, command string, edit func(*provider.Spawn)) (provider.Ending, string) {
	t.Helper()
	p, err := provider.Builtin().Find("exec:"+command, "")
	require.NoError(t, err)
	p.Env = []string{"MY_*"}
	var out strings.Builder
	s := provider.Spawn{Agent: "coder-1", Generation: "0123456789abcdef.child", Task: "task-1", Dir: t.TempDir(),
		Prompt: "do it\n", Committer: [2]string{"Ann", "ann@example.org"}, Programs: "/opt/liza", Output: &out,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/ann", "SECRET=1", "MY_KEY=2", "GIT_DIR=/elsewhere", "LIZA_NOW=+1m", "LIZA_AGENT_ID=coder-9"}}
	if edit != nil {
		edit(&s)
	}
	ending, err := p.Run(context.Background(), s)
	require.NoError(t, err)
	return ending, out.String()
}

func TestPromptComesOnStandardInput(t *testing.T) {
	t.Parallel()
	ending, out := run(t, "cat", nil)
	require.Equal(t, provider.Ended, ending.Outcome)
	require.Equal(t, "do it\n", out)
	require.Equal(t, "do it\n", ending.Excerpt)
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]provider.Outcome{
		"exit 0": provider.Ended, "exit 42": provider.Exhausted, "exit 1": provider.Crashed,
		"kill -9 $$": provider.Crashed, "exit 143": provider.Crashed,
	} {
		ending, _ := run(t, command, nil)
		require.Equal(t, want, ending.Outcome, command)
	}
	c, err := provider.Load(settings("exec.handoff=2"))
	require.NoError(t, err)
	p, err := c.Find("exec:exit 2", "")
	require.NoError(t, err)
	full, err := p.Run(t.Context(), provider.Spawn{Agent: "coder-1", Dir: t.TempDir(), Environ: os.Environ()})
	require.NoError(t, err)
	require.Equal(t, provider.Exhausted, full.Outcome, "its row says so")
	full, _ = run(t, "exit 2", nil)
	require.Equal(t, provider.Crashed, full.Outcome)
	ending, _ := run(t, "sleep 60", func(s *provider.Spawn) { s.Idle = 50 * time.Millisecond })
	require.Equal(t, provider.Hung, ending.Outcome)
	require.Contains(t, ending.Text, "without output")
	ending, _ = run(t, "while :; do echo .; sleep 0.01; done", func(s *provider.Spawn) { s.Wall = 100 * time.Millisecond })
	require.Equal(t, provider.Hung, ending.Outcome)
	require.Contains(t, ending.Text, "time limit")
}

// An exit code of 42 after TERM is no wish of the program's.
func TestCalledOff(t *testing.T) {
	t.Parallel()
	p, err := provider.Builtin().Find("exec:trap 'exit 42' TERM; echo ready; while :; do sleep 0.01; done", "")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ending, err := p.Run(ctx, provider.Spawn{Agent: "coder-1", Dir: t.TempDir(), Environ: os.Environ(), Output: onFirstWrite(cancel)})
	require.NoError(t, err)
	require.Equal(t, provider.Canceled, ending.Outcome)
}

type onFirstWrite func()

func (f onFirstWrite) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	_, out := run(t, "env; pwd", nil)
	env := strings.Split(out, "\n")
	for _, want := range []string{"HOME=/home/ann", "MY_KEY=2", "LIZA_AGENT_ID=coder-1", "LIZA_ROLE=coder",
		"LIZA_GENERATION=0123456789abcdef.child", "LIZA_TASK=task-1", "GIT_AUTHOR_NAME=coder-1",
		"GIT_AUTHOR_EMAIL=coder-1@liza.invalid", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
		"PATH=/opt/liza" + string(filepath.ListSeparator) + os.Getenv("PATH")} {
		require.Contains(t, env, want)
	}
	for _, never := range []string{"SECRET=", "GIT_DIR=", "LIZA_NOW=", "coder-9", "LIZA_REVIEW_COMMIT="} {
		require.NotContains(t, out, never)
	}
	_, out = run(t, "env", func(s *provider.Spawn) {
		s.Agent, s.Task, s.Review = "code-reviewer-1", "task-1", "0123456789012345678901234567890123456789"
	})
	require.Contains(t, out, "LIZA_REVIEW_COMMIT=0123456789012345678901234567890123456789\n")
	require.Contains(t, out, "LIZA_ROLE=code-reviewer\n")
}

func TestCannotStart(t *testing.T) {
	t.Parallel()
	p, err := provider.Builtin().Find("script", filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), provider.Spawn{Agent: "coder-1"})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "provider script")
}
