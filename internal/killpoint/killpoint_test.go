package killpoint_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/killpoint"
)

// steps creates a file, renames it, and makes a folder in a process of its own.
const steps = "echo text >a; mv a b; (mkdir c; :); echo end"

func traced(t *testing.T, at int, change func(*killpoint.Run)) (killpoint.Ended, []string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "steps")
	require.NoError(t, os.WriteFile(script, []byte(steps), 0o666))
	run := killpoint.Run{Args: []string{"sh", script}, Dir: dir, Env: os.Environ(), At: at}
	if change != nil {
		change(&run)
	}
	ended := killpoint.Trace(t, run)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return ended, names
}

func TestEveryOperationIsCounted(t *testing.T) {
	t.Parallel()
	ended, names := traced(t, 0, nil)
	require.False(t, ended.Killed)
	require.Zero(t, ended.Code)
	require.Equal(t, "end\n", ended.Output)
	require.Equal(t, []string{"b", "c"}, names)
	var calls []string
	for _, what := range ended.Operations {
		for _, call := range []string{" open a", " write ", " execve ", " rename b", " mkdir c"} {
			if strings.Contains(what, call) {
				calls = append(calls, strings.TrimSpace(call))
			}
		}
	}
	require.Equal(t, []string{"open a", "write", "execve", "rename b", "execve", "mkdir c"}, calls, "%q", ended.Operations)
}

// The operation that a process is killed at is not made, nor one after it.
func TestKilledAtEachOperation(t *testing.T) {
	t.Parallel()
	var seen []string
	n := 1
	for ; ; n++ {
		ended, names := traced(t, n, nil)
		if !ended.Killed {
			require.Equal(t, "end\n", ended.Output)
			break
		}
		require.Len(t, ended.Operations, n)
		require.Equal(t, -1, ended.Code)
		require.Empty(t, ended.Output)
		if state := strings.Join(names, " "); len(seen) == 0 || seen[len(seen)-1] != state {
			seen = append(seen, state)
		}
	}
	require.Equal(t, []string{"", "a", "b"}, seen)
	require.Greater(t, n, 5)
}

func TestKilledAloneOrWithin(t *testing.T) {
	t.Parallel()
	within := func(r *killpoint.Run) { r.Within = "mkdir" }
	ended, _ := traced(t, 0, within)
	require.Len(t, ended.Operations, 1)
	require.Contains(t, ended.Operations[0], "mkdir c")

	for name, change := range map[string]func(*killpoint.Run){
		"within": within,
		"alone":  func(r *killpoint.Run) { r.Within, r.Alone = "mkdir", true },
	} {
		ended, names := traced(t, 1, change)
		require.True(t, ended.Killed, name)
		require.Equal(t, []string{"b"}, names, name)
		require.Contains(t, ended.Output, "end\n", "%s: the shell above lives on", name)
	}
}

// A process in the background, in a session of its own, is traced too.
func TestProcessesInTheBackground(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended := killpoint.Trace(t, killpoint.Run{Args: []string{"sh", "-c", "setsid sh -c 'mkdir late' & exit 3"}, Dir: dir, Env: os.Environ()})
	require.Equal(t, 3, ended.Code)
	require.DirExists(t, filepath.Join(dir, "late"))
}

func TestSyncsAreCountedWhereAsked(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		dir := t.TempDir()
		ended := killpoint.Trace(t, killpoint.Run{Args: []string{"sync", dir}, Dir: dir, Env: os.Environ(), Syncs: asked})
		require.Zero(t, ended.Code, ended.Output)
		require.Equal(t, asked, slices.Contains(ended.Operations, "sync "+dir+" fsync "+dir), "%q", ended.Operations)
	}
}
