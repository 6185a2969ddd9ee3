package gitstore_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// board is a repository with one commit, a spec and a fresh blackboard.
type board struct {
	t     *testing.T
	dir   string
	now   time.Time
	repo  *gitstore.Repo
	store *gitstore.Store
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

func newBoard(t *testing.T) *board {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "config", "user.name", "Ann Example")
	git(t, dir, "config", "user.email", "ann@example.org")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "specs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "specs", "vision.md"), []byte("# Vision\n"), 0o644))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	b := &board{t: t, dir: dir, now: time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)}
	b.open()
	tip, err := b.repo.ParseCommit(context.Background(), "HEAD")
	require.NoError(t, err)
	b.do(flow.Move{Act: flow.ActInit, By: "human:ann", Detail: &flow.InitMove{Board: "00112233445566aa", Rules: flow.RulesVersion,
		Goal: "goal-1", Title: "Ship it", Spec: "specs/vision.md", Integration: flow.Branch{Name: "integration", Tip: tip},
		Created: true, Config: flow.DefaultConfig()}})
	return b
}

func (b *board) open() {
	ctx := context.Background()
	repo, err := gitstore.Open(ctx, b.dir)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { repo.Close() })
	b.repo = repo
	b.store, err = gitstore.OpenStore(ctx, repo, func() time.Time { return b.now })
	require.NoError(b.t, err)
}

func (b *board) do(m flow.Move) gitstore.Result {
	b.t.Helper()
	r, err := b.try(m)
	require.NoError(b.t, err)
	return r
}

func (b *board) try(m flow.Move) (gitstore.Result, error) {
	return b.store.Do(context.Background(), func(*flow.Board, time.Time) (flow.Move, []gitstore.RefUpdate, error) { return m, nil, nil })
}

func input(id flow.TaskID) flow.TaskInput {
	return flow.TaskInput{ID: id, Title: "Title of " + string(id), DoneWhen: "it works", Spec: "specs/vision.md#x", Scope: "small", Kind: flow.Code}
}

func TestAMoveIsOneCommit(t *testing.T) {
	b := newBoard(t)
	b.do(flow.Move{Act: flow.ActAdd, By: "human:ann", Detail: &flow.AddMove{Tasks: []flow.TaskInput{input("task-1"), input("task-2")}}})
	state, _, err := b.store.Board(context.Background())
	require.NoError(t, err)
	r := b.do(flow.Move{Act: flow.ActClaim, Task: "task-1", By: "coder-1",
		Detail: &flow.ClaimMove{Lease: flow.Duration(30 * time.Minute), Base: state.Settings().Integration.Tip}})
	require.Equal(t, flow.Claimed, r.After.Task("task-1").Status)

	require.Equal(t, "3\n", git(t, b.dir, "rev-list", "--count", gitstore.StateRef))
	require.Equal(t, "claim task-1 by coder-1\n", git(t, b.dir, "log", "-1", "--format=%s", gitstore.StateRef))
	again, err := b.store.BoardAt(r.Commit)
	require.NoError(t, err)
	require.Equal(t, r.After.Task("task-1"), again.Task("task-1"))
	require.Equal(t, "agents/01/coder-1.yaml\ntasks/01/task-1.yaml\n",
		git(t, b.dir, "diff", "--name-only", gitstore.StateRef+"~", gitstore.StateRef))

	n, breach, err := b.store.Fsck(context.Background(), true)
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Equal(t, 3, n)
	git(t, b.dir, "fsck", "--strict")
}
