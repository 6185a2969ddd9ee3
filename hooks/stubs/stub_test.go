package stubs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestServerStub: a server's hook asks the program about a move only where the
// board is not at the old value that git read, which may be one before the last.
func TestServerStub(t *testing.T) {
	t.Parallel()
	server := t.TempDir()
	gittest.Git(t, server, "init", "-q", "--bare")
	commit := func(message string) string {
		return gittest.Git(t, server, "commit-tree", "-m", message, gittest.Git(t, server, "hash-object", "-w", "-t", "tree", os.DevNull))
	}
	root, next, after, zero := commit("root"), commit("next"), commit("after"), strings.Repeat("0", 40)
	gittest.Git(t, server, "update-ref", layout.State, root)

	notes := filepath.Join(t.TempDir(), "notes")
	program := filepath.Join(t.TempDir(), "git-liza")
	gittest.Script(t, program, "#!/bin/sh\ncat >'"+notes+"'\nexit 3\n")
	require.NoError(t, Install(context.Background(), opened(t, server), Options{Server: true, Binary: program, Integration: "integration"}))
	// A process that another test started meanwhile has the stubs open until its exec.
	gittest.WhileNobodyStarts(t, func() error { return nil })
	asks := func(lines ...string) bool {
		t.Helper()
		require.NoError(t, os.RemoveAll(notes))
		cmd := exec.Command(filepath.Join(server, "hooks", transaction), "prepared")
		cmd.Dir, cmd.Stdin = server, strings.NewReader(strings.Join(lines, "\n")+"\n")
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
	move := func(from, to string) string { return from + " " + to + " " + layout.State }
	save := zero + " " + next + " refs/liza/saved/a/1"

	require.False(t, asks(move(root, next)), "a loose ref git has read just now")
	unasked := func(args ...string) {
		gittest.Git(t, server, append([]string{"-c", "core.hooksPath=/dev/null"}, args...)...)
	}
	unasked("pack-refs", "--all")
	require.False(t, asks(move(root, next)))
	require.False(t, asks(move(root, next), save))
	unasked("update-ref", layout.State, next)
	unasked("pack-refs", "--all")
	require.True(t, asks(move(root, after)), "git took packed-refs for the one before")
	require.True(t, asks(move(root, after), save))
	require.True(t, asks(move(zero, after)), "and for one that had no board")
	require.False(t, asks(move(next, after)))
	require.True(t, asks(save), "a save without its state")
}

// TestServerStubSyncs: once refs of the board have moved, the program is told how a
// server syncs, so that it need not ask git, and nothing is synced where that is off.
func TestServerStubSyncs(t *testing.T) {
	t.Parallel()
	for fsync, told := range map[string]string{"": "batch", "all": "all", "none": ""} {
		server, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
		gittest.Git(t, server, "init", "-q", "--bare")
		if fsync != "" {
			gittest.Git(t, server, "config", "liza.fsync", fsync)
		}
		program := filepath.Join(t.TempDir(), "git-liza")
		gittest.Script(t, program, "#!/bin/sh\necho \"$*\" >'"+notes+"'\ncat >>'"+notes+"'\n")
		require.NoError(t, Install(context.Background(), opened(t, server), Options{Server: true, Binary: program, Integration: "integration"}))
		gittest.WhileNobodyStarts(t, func() error { return nil })
		zero, id := strings.Repeat("0", 40), strings.Repeat("1", 40)
		cmd := exec.Command(filepath.Join(server, "hooks", transaction), "committed")
		cmd.Dir, cmd.Stdin = server, strings.NewReader(zero+" "+id+" refs/tags/v1\n"+zero+" "+id+" "+layout.State+"\n")
		cmd.Env = append(os.Environ(), "GIT_DIR=.", "HOME=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		if told == "" {
			require.NoFileExists(t, notes, fsync)
			continue
		}
		text, err := os.ReadFile(notes)
		require.NoError(t, err)
		require.Equal(t, "hook reference-transaction committed --fsync "+told+"\n"+zero+" "+id+" "+layout.State+"\n", string(text))
	}
}
