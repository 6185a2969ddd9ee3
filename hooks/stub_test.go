package hooks

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

// TestServerStub: a server's hook asks the program about a move only where the
// board is not at the old value that git read, which may be one before the last.
func TestServerStub(t *testing.T) {
	t.Parallel()
	y := plain(t)
	notes := filepath.Join(t.TempDir(), "notes")
	program := filepath.Join(t.TempDir(), "git-liza")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\ncat >'"+notes+"'\nexit 3\n"), 0o755))
	require.NoError(t, Install(context.Background(), y.judge.Repo, Options{Server: true, Binary: program, Integration: "integration"}))
	startedAll()
	root := string(y.there(git.StateRef))
	y.add("a")
	next := string(y.at(git.StateRef))
	y.add("b")
	after, zero := string(y.at(git.StateRef)), hexes("0", 40)
	asks := func(lines ...string) bool {
		t.Helper()
		require.NoError(t, os.RemoveAll(notes))
		cmd := exec.Command(filepath.Join(y.server, "hooks", transaction), "prepared")
		cmd.Dir, cmd.Stdin = y.server, strings.NewReader(strings.Join(lines, "\n")+"\n")
		cmd.Env = append(os.Environ(), "GIT_DIR=.", "HOME=")
		err := cmd.Run()
		if err == nil {
			require.NoFileExists(t, notes)
			return false
		}
		text, readErr := os.ReadFile(notes)
		require.NoError(t, readErr, "it failed and had not asked")
		require.Equal(t, strings.Join(lines, "\n")+"\n", string(text))
		return true
	}
	move := func(from, to string) string { return from + " " + to + " " + git.StateRef }
	save := zero + " " + next + " refs/liza/saved/a/1"

	require.False(t, asks(move(root, next)), "a loose ref git has read just now")
	unasked := func(args ...string) {
		runGit(t, y.server, append([]string{"-c", "core.hooksPath=/dev/null"}, args...)...)
	}
	unasked("pack-refs", "--all")
	require.False(t, asks(move(root, next)))
	require.False(t, asks(move(root, next), save))
	unasked("update-ref", git.StateRef, next)
	unasked("pack-refs", "--all")
	require.True(t, asks(move(root, after)), "git took packed-refs for the one before")
	require.True(t, asks(move(root, after), save))
	require.True(t, asks(move(zero, after)), "and for one that had no board")
	require.False(t, asks(move(next, after)))
	require.True(t, asks(save), "a save without its state")
}
