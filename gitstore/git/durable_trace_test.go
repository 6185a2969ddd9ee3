package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/killpoint"
)

// traceSyncs runs a child in a repository and returns its file operations and syncs,
// each as its name and the path below the git directory.
func traceSyncs(t *testing.T, dir, task string, args ...string) (operations []string) {
	t.Helper()
	ended := killpoint.Trace(t, killpoint.Run{Args: append([]string{os.Args[0], dir}, args...), Dir: dir, Syncs: true,
		Env: append(os.Environ(), "GITSTORE_TEST_CHILD="+task)})
	require.Zero(t, ended.Code, ended.Output)
	for _, line := range ended.Operations {
		words := strings.Fields(line)
		what := words[max(len(words)-2, 0):]
		operations = append(operations, strings.ReplaceAll(strings.Join(what, " "), filepath.Join(dir, ".git")+"/", ""))
	}
	return operations
}

// inOrder requires operations one after the other, with others between them. The end of
// a path may be left out with "...".
func inOrder(t *testing.T, operations []string, expected ...string) {
	t.Helper()
	at := 0
	for _, want := range expected {
		begin, open := strings.CutSuffix(want, "...")
		n := slices.IndexFunc(operations[at:], func(o string) bool { return o == want || open && strings.HasPrefix(o, begin) })
		require.GreaterOrEqual(t, n, 0, "%q is not there or too early:\n%s", want, strings.Join(operations, "\n"))
		at += n + 1
	}
}

// fsyncsOf requires that each folder is synced after an operation.
func fsyncsOf(t *testing.T, operations []string, after string, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		inOrder(t, operations, after, "fsync "+folder)
	}
}

// looseName is the path of an object's file below the git directory.
func looseName(id string) string { return "objects/" + id[:2] + "/" + id[2:] }

// With liza.fsync=all each new name is durable because its folder is synced after it.
func TestFoldersAreSynced(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "liza.fsync", fsyncAll)
	common := filepath.Join(dir, ".git")
	first := gittest.Git(t, dir, "rev-parse", "HEAD")
	require.NoError(t, open(t, dir).Refs.MoveRefs(context.Background(), []RefUpdate{{Name: "refs/heads/first", New: ID(first)}}, "x"))
	gittest.Write(t, dir, "more", "text\n")
	gittest.Git(t, dir, "add", ".")
	gittest.Git(t, dir, "commit", "-q", "-m", "second")
	second := gittest.Git(t, dir, "rev-parse", "HEAD")

	moved := traceSyncs(t, dir, "move", "refs/liza/saved/t/1=="+second)
	inOrder(t, moved, "fsync "+looseName(second), "fsync "+filepath.Dir(looseName(second)), "fsync objects", "execve ...")
	fsyncsOf(t, moved, "rename liza/journal/...", "liza/journal", "liza", common)
	fsyncsOf(t, moved, "rename refs/liza/saved/t/1", "refs/liza/saved/t", "refs/liza/saved", "refs/liza", "refs", common)

	flushed := traceSyncs(t, dir, "flush")
	small := string(open(t, dir).Hash("blob", []byte("small")))
	fsyncsOf(t, flushed, "rename "+looseName(small), filepath.Dir(looseName(small)), "objects")
}

// The state moves to a commit that another process wrote, and perhaps did not sync, only
// when that commit is durable.
func TestStateOfAnotherProcessIsSynced(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "liza.fsync", fsyncAll)
	first := gittest.Git(t, dir, "rev-parse", "HEAD")
	require.NoError(t, open(t, dir).Refs.MoveRefs(context.Background(), []RefUpdate{{Name: layout.State, New: ID(first)}}, "x"))
	state := gittest.Git(t, dir, "commit-tree", "HEAD^{tree}", "-p", first, "-m", "state")
	inOrder(t, traceSyncs(t, dir, "move", layout.State+"="+first+"="+state), "fsync "+looseName(state), "open refs/liza/state.lock")
}
