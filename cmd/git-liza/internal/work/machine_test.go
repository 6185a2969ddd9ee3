package work

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	number := func(name string) int {
		dir := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		n, err := allot(context.Background(), state, dir)
		require.NoError(t, err)
		return n
	}
	for want, name := range []string{"a", "b", "c"} {
		require.Equal(t, want, number(name))
	}
	require.Equal(t, 1, number("b"), "it stays")
	require.NoError(t, os.Remove(filepath.Join(root, "a")))
	require.Equal(t, 2, number("c"), "also when a smaller one is free")
	require.Equal(t, 0, number("d"))
	require.Equal(t, 3, number("a"))
	got := make(chan int)
	for i := range 8 {
		go func() {
			dir := filepath.Join(root, "many", string(rune('a'+i)))
			_ = os.MkdirAll(dir, 0o777)
			n, err := allot(context.Background(), state, dir)
			if err != nil {
				n = -1
			}
			got <- n
		}()
	}
	seen := map[int]bool{}
	for range 8 {
		seen[<-got] = true
	}
	require.Len(t, seen, 8, "no two have the same")
	require.False(t, seen[-1])
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	require.Equal(t, "b0-task-1", nameOf("b0", "task-1"))
	names := map[string]bool{}
	for _, checkout := range []string{"task-1", "task-1@2", "task-1-2", "Task-1", "task.1", "review@task-1@1", ".gate-12-x", strings.Repeat("a", 64), strings.Repeat("a", 64) + "b"} {
		name := nameOf("0123456789abcdef", checkout)
		require.Regexp(t, "^0123456789abcdef-[a-z0-9][a-z0-9-]*[a-z0-9]$", name)
		require.LessOrEqual(t, len(name), longestName)
		require.False(t, names[name], name)
		names[name] = true
	}
}

// Where a checkout is no repository any more, git does not find the one around it, whatever its
// path.
func TestCeiling(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".local", "state", "liza"), 0o777))
	for _, name := range []string{"plain", "a:b", "a:/b"} {
		clone := filepath.Join(t.TempDir(), name)
		dir := filepath.Join(clone, ".worktrees", "task-1")
		require.NoError(t, os.MkdirAll(dir, 0o777))
		gittest.Git(t, clone, "init", "-q")
		for range 2 {
			cmd := exec.Command("git", "rev-parse", "--git-dir")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+ceiling(home, filepath.Dir(dir)))
			require.Error(t, cmd.Run(), name)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	for value, says := range map[string]string{
		"A_1=x y=z": "", "A=": "", "A": "not NAME=VALUE", "=x": "not NAME=VALUE", "A B=x": "not NAME=VALUE", "": "not NAME=VALUE",
		"GIT_DIR=x": "names GIT_DIR", "LIZA_AGENT_ID=x": "names LIZA_AGENT_ID", "GITHUB=x": "",
	} {
		dir := t.TempDir()
		gittest.Git(t, dir, "init", "-q")
		gittest.Git(t, dir, "config", "--add", "liza.env", "FIRST=1")
		gittest.Git(t, dir, "config", "--add", "liza.env", value)
		gittest.Git(t, dir, "config", "liza.envy.env", "OTHER=1")
		repo, err := git.Open(context.Background(), dir)
		require.NoError(t, err)
		list, _, err := ReadMachine(context.Background(), &repo.Config.Configuration)
		if says != "" {
			require.ErrorContains(t, err, says, value)
		} else {
			require.NoError(t, err)
			require.Equal(t, []string{"FIRST=1", value}, list)
		}
		repo.Close()
	}
}
