package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// loses lets a remote be restored from a backup of before something was done.
func (l lane) loses(t *testing.T, done func()) {
	t.Helper()
	backup := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.CopyFS(backup, os.DirFS(l.bare)))
	done()
	require.NoError(t, os.RemoveAll(l.bare))
	require.NoError(t, os.CopyFS(l.bare, os.DirFS(backup)))
}

// forked is a lane whose remote lost moves of a: a submission of one task and a
// claim of another; b went on another way and submitted the first one too.
func forked(t *testing.T) (l lane, lost, theirs git.ID) {
	t.Helper()
	l = newLane(t)
	l.a.add("task-1", "task-2", "task-3")
	_, err := l.b.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	l.loses(t, func() {
		lost = l.a.submit("task-1", coder, "a.md", "one\n")
		l.a.claim("task-2", "coder-2")
	})
	theirs = l.b.submit("task-1", "coder-3", "b.md", "another\n")
	return l, lost, theirs
}

func requireDiverged(t *testing.T, err error, reason, hint string) {
	t.Helper()
	require.ErrorIs(t, err, ErrDiverged)
	var d *Diverged
	require.ErrorAs(t, err, &d)
	require.Contains(t, d.Reason, reason)
	require.Equal(t, hint, d.Hint)
}

// gaveUp holds that a follows the remote, and has all that it had.
func (l lane) gaveUp(t *testing.T, was, lost git.ID) {
	t.Helper()
	l.agree(t)
	kept := layout.LostRefs + was.Short()
	require.Equal(t, was, l.a.at(kept+"/state"))
	require.Equal(t, lost, l.a.at(kept+"/saved/task-1/1"))
	require.Empty(t, l.a.at("refs/liza/saved/task-1/1"), "the name is free for the other one")
	emptyOutbox(t, l.a)
}

// A remote went another way: its board is followed, and what it lacks is kept
// under names that are in nobody's way.
func TestTheirs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l, lost, theirs := forked(t)
	was := l.a.at(layout.State)
	gittest.Git(t, l.a.dir, "update-ref", "refs/heads/liza/task-1", string(lost))
	for range 2 {
		_, err := l.a.store.Mirror.Sync(ctx)
		requireDiverged(t, err, "origin went another way", "git liza sync --set origin --theirs")
		requireDiverged(t, l.a.store.Mirror.CheckDiverged(ctx), "moves that origin does not have: 4", "git liza sync --set origin --theirs")
		_, err = l.a.store.Mirror.Join(ctx, "origin", true)
		requireDiverged(t, err, "origin went another way", "git liza sync --set origin --theirs")
	}
	require.Equal(t, was, l.a.at(layout.State))

	done, err := l.a.store.Mirror.TakeTheirs(ctx, "origin")
	require.NoError(t, err)
	require.Equal(t, Synced{Remote: "origin", Before: was, After: l.at(t, layout.State), Moves: 3}, done.Synced)
	require.Equal(t, 4, done.Count)
	require.Equal(t, Dropped{was, "claim task-2 by coder-2", "claim", "task-2"}, done.Dropped[0])
	require.Equal(t, []board.TaskID{"task-1", "task-2"}, done.Tasks)
	require.Equal(t, layout.LostRefs+was.Short(), done.Kept)
	l.gaveUp(t, was, lost)
	require.Equal(t, lost, l.a.at("refs/heads/liza/task-1"))
	require.NoError(t, l.a.store.Mirror.BringCommits(ctx, "task-1", theirs))
	require.Equal(t, theirs, l.a.at("refs/liza/saved/task-1/1"))
	require.NoError(t, l.a.store.Mirror.CheckDiverged(ctx))

	again, err := l.a.store.Mirror.TakeTheirs(ctx, "origin")
	require.NoError(t, err)
	require.Zero(t, again.Count)
	require.Equal(t, again.Before, again.After)
	l.gaveUpClaim(t)
}

// gaveUpClaim: who held a task by a move that was given up holds it no more.
func (l lane) gaveUpClaim(t *testing.T) {
	t.Helper()
	_, err := l.a.try(flow.Move{Act: board.ActIntent, Task: "task-2", By: "coder-2", Detail: &flow.IntentMove{Intent: board.Intent{Summary: "s", Validation: "v"}}})
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	l.b.claim("task-2", "coder-4")
	l.agree(t)
}

// A merge that the remote lost is kept, and the branch stays where it is for
// the work trees that have it checked out.
func TestTheirsAfterAMerge(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	_, err := l.b.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	l.loses(t, func() { l.a.life("task-1", "a.md") })
	l.b.life("task-2", "b.md")
	was, merged := l.a.at(layout.State), l.a.at("refs/heads/integration")
	done, err := l.a.store.Mirror.TakeTheirs(context.Background(), "origin")
	require.NoError(t, err)
	require.Error(t, done.Behind)
	require.Equal(t, merged, l.a.at("refs/heads/integration"))
	require.Equal(t, merged, l.a.at(layout.LostRefs+was.Short()+"/integration"))
	require.Equal(t, l.at(t, layout.State), l.a.at(layout.State))
}

// There is nothing to follow where the remote has no board or another one.
func TestTheirsRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	_, err := l.a.store.Mirror.TakeTheirs(ctx, "upstream")
	refusedWith(t, err, "git remote add upstream URL")
	other := l.fresh(t)
	other.now = other.now.Add(1)
	other.do(other.initial(other.at("refs/heads/main")))
	other.add("task-9")
	was := other.at(layout.State)
	_, err = other.store.Mirror.TakeTheirs(ctx, "origin")
	requireDiverged(t, err, "origin has another board", "git liza sync --set origin --theirs")
	require.Equal(t, was, other.at(layout.State))
	gittest.Git(t, l.bare, "update-ref", "-d", layout.State)
	_, err = l.a.store.Mirror.TakeTheirs(ctx, "origin")
	requireDiverged(t, err, "origin has no board", "git liza sync --set origin")
}

// Where the remote is behind, a clone may still give up its moves.
func TestTheirsBehind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	var lost git.ID
	l.loses(t, func() {
		lost = l.a.submit("task-1", coder, "a.md", "one\n")
		l.a.claim("task-2", "coder-2")
	})
	_, err := l.a.store.Mirror.Sync(ctx)
	requireDiverged(t, err, "origin is behind", "git liza sync --set origin --publish")
	was := l.a.at(layout.State)
	_, err = l.a.store.Mirror.TakeTheirs(ctx, "origin")
	require.NoError(t, err)
	l.gaveUp(t, was, lost)
}

// stopAt makes the n-th ref transaction of a repository wait.
func stopAt(t *testing.T, gitDir string, n int) gate {
	t.Helper()
	g := stop(t, gitDir, "reference-transaction", "prepared")
	count := filepath.Join(filepath.Dir(g.goOn), "count")
	gittest.Script(t, filepath.Join(gitDir, "hooks", "reference-transaction"), "#!/bin/sh\ntest \"$1\" = prepared || exit 0\necho >>'"+count+"'\n"+
		"test $(wc -l <'"+count+"') = "+strconv.Itoa(n)+" || exit 0\n: >'"+g.reached+"'\nread go <'"+g.goOn+"'\nexit 0\n")
	return g
}

// killedAt kills a process at the n-th ref transaction of a repository; it is
// false where the process ended before that.
func killedAt(t *testing.T, dir, gitDir, task string, n int) bool {
	t.Helper()
	g := stopAt(t, gitDir, n)
	cmd := storeChild(os.Args[0], dir, task)
	cmd.Stderr = os.Stderr
	t.Cleanup(gittest.Family(t, cmd)) // the folders are removed after that
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	over := false
	gittest.Until(t, "the transaction is reached, or the process ends", func() bool {
		select {
		case err := <-ended:
			require.NoError(t, err)
			over = true
		default:
		}
		return over || exists(g.reached)
	})
	require.NoError(t, os.Remove(filepath.Join(gitDir, "hooks", "reference-transaction")))
	if over {
		return false
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	<-ended
	g.open(t)
	return true
}

// Killed between any two of its steps, giving up is completed by typing it
// again, and nothing is lost on the way.
func TestTortureTheirsKilled(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for n := 1; ; n++ {
		l, lost, _ := forked(t)
		was := l.a.at(layout.State)
		killed := killedAt(t, l.a.dir, filepath.Join(l.a.dir, ".git"), "theirs", n)
		if killed {
			gittest.Until(t, "it is typed again", func() bool {
				l.a.store = l.a.open()
				_, err := l.a.store.Mirror.TakeTheirs(context.Background(), "origin")
				return err == nil
			})
		}
		l.gaveUp(t, was, lost)
		if !killed {
			require.Greater(t, n, 4, "hardly any step was killed")
			return
		}
	}
}
