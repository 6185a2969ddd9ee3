package boards

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// newServer returns an empty bare repository with the hooks of a program.
func newServer(t testing.TB, program string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "server.git")
	gittest.Git(t, ".", "init", "-q", "--bare", dir)
	cmd := exec.Command(filepath.Join(program, "git-liza"), "hooks", "install", "--server")
	cmd.Dir, cmd.Env = dir, environment(t, program)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	gittest.Git(t, dir, "config", "liza.server.userEnv", "PUSHER")
	return dir
}

// push pushes from a clone to a server, whose hooks are those of a program, and returns
// what git prints. The user is the one that the server asks for.
func push(t testing.TB, program, user, dir, server string, refs ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"push", "-q", "--atomic", server}, refs...)...)
	cmd.Dir, cmd.Env = dir, environment(t, program, "PUSHER="+user)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// pushBoard pushes all refs of a golden board but the branches of its tasks.
func pushBoard(t testing.TB, program string, g golden, dir, server string) (string, error) {
	t.Helper()
	return push(t, program, g.pusher, dir, server, "refs/heads/*:refs/heads/*", "^"+layout.TaskRefs+"*", "refs/liza/*:refs/liza/*")
}

// A server with our hooks judges and takes every move of the golden boards.
func TestGoldenBoardsAreServed(t *testing.T) {
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		server := newServer(t, present)
		out, err := pushBoard(t, present, g, dir, server)
		require.NoError(t, err, "%s", out)
		_, tip, at := openBoard(t, server)
		require.Equal(t, g.tip, tip)
		liza(t, present, server, at, "fsck", "--full")
	})
}

// It also takes each in a push of its own, at the time of the move.
func TestTortureGoldenBoardsAreServedMoveByMove(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		ctx := context.Background()
		server := filepath.Join(t.TempDir(), "server.git")
		gittest.Git(t, ".", "init", "-q", "--bare", server)
		gittest.Write(t, server, "objects/info/alternates", filepath.Join(dir, ".git", "objects")+"\n")
		judge := openStore(t, server, time.Now)
		// The program holds artifacts to their types where the whole board is pushed to it.
		judge.Commits.Judge = func(context.Context, []gitstore.Artifact) ([]string, error) { return nil, nil }
		store, tip, _ := openBoard(t, dir)
		var updates []hooks.Update
		for _, commit := range listMoves(t, store, tip) {
			r, err := store.Audit.ReplayMove(ctx, commit, false)
			require.NoError(t, err)
			for _, moved := range r.Move.Refs(r.Before) {
				if moved.State {
					moved.New = commit
				}
				updates = joinUpdate(updates, hooks.Update{Name: moved.Name, Old: moved.Old, New: moved.New})
			}
			updates = joinUpdate(updates, hooks.Update{Name: layout.State, Old: r.Parent, New: commit})
			err = hooks.JudgePush(ctx, judge, hooks.Push{Updates: updates, Server: true, Fresh: true, Now: r.Move.At, User: g.pusher, UserKnown: true})
			require.NoError(t, err, r.Move.Subject())
			for _, u := range updates {
				gittest.Git(t, server, "update-ref", u.Name, string(u.New), string(u.Old))
			}
			require.NoError(t, hooks.Settle(ctx, judge))
			updates = nil
		}
		require.Equal(t, string(g.tip), gittest.Git(t, server, "rev-parse", layout.State))
	})
}

// joinUpdate adds a change of a ref to those of a push, or goes on with the one that is
// there.
func joinUpdate(updates []hooks.Update, u hooks.Update) []hooks.Update {
	if i := slices.IndexFunc(updates, func(other hooks.Update) bool { return other.Name == u.Name }); i >= 0 {
		updates[i].New = u.New
		return updates
	}
	return append(updates, u)
}

// listMoves lists the state commits up to a tip, oldest first.
func listMoves(t *testing.T, store *gitstore.Store, tip git.ID) []git.ID {
	t.Helper()
	var chain []git.ID
	require.NoError(t, store.Events(tip, func(e gitstore.Event) (bool, error) {
		chain = append(chain, e.Commit)
		return true, nil
	}))
	slices.Reverse(chain)
	return chain
}
