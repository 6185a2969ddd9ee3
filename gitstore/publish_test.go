package gitstore

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// A remote that is behind gets what it lost, as far as it is here: the rest
// comes from the clone that has the work.
func TestPublishInTurns(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	_, err := l.b.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	var one, two git.ID
	l.loses(t, func() {
		one = l.a.submit("task-1", coder, "a.md", "one\n")
		two = l.b.submit("task-2", "coder-2", "b.md", "two\n")
		l.a.claimable("task-3")
	})
	newest := l.a.at(layout.State)
	for range 2 {
		synced, err := l.b.store.Mirror.Join(ctx, "origin", true)
		refusedWith(t, err, "git liza sync --set origin --publish")
		require.ErrorContains(t, err, "submit task-1 by coder-1 names "+one.Short()+", which is not here")
		require.False(t, synced.Published)
	}
	_, err = l.a.store.Mirror.Join(ctx, "origin", true)
	require.ErrorContains(t, err, "submit task-2 by coder-2 names "+two.Short()+", which is not here")
	require.Equal(t, one, l.at(t, "refs/liza/saved/task-1/1"))
	_, err = l.b.store.Mirror.Join(ctx, "origin", true)
	require.NoError(t, err)
	require.Equal(t, two, l.at(t, "refs/liza/saved/task-2/1"))
	_, err = l.a.store.Mirror.Join(ctx, "origin", true)
	require.NoError(t, err)
	require.Equal(t, newest, l.at(t, layout.State))
	l.agree(t)
}

// Where the remote kept what a move saved, and lost the move alone, any clone
// gives it back.
func TestPublishWhatWasSaved(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1")
	before := l.at(t, layout.State)
	l.a.submit("task-1", coder, "a.md", "one\n")
	_, err := l.b.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	gittest.Git(t, l.bare, "update-ref", layout.State, string(before))
	_, err = l.b.store.Mirror.Join(ctx, "origin", true)
	require.NoError(t, err)
	require.Equal(t, l.a.at(layout.State), l.at(t, layout.State))
	l.agree(t)
}

// The work may also come to the clone that publishes, in whatever way.
func TestPublishWorkOfOthers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1")
	l.loses(t, func() {
		l.a.submit("task-1", coder, "a.md", "one\n")
		_, err := l.b.store.Mirror.Sync(ctx)
		require.NoError(t, err)
	})
	_, err := l.b.store.Mirror.Join(ctx, "origin", true)
	refusedWith(t, err, "git liza sync --set origin --publish")
	gittest.Git(t, l.b.dir, "fetch", "-q", l.a.dir, "refs/liza/saved/task-1/1")
	l.b.store = l.b.open()
	_, err = l.b.store.Mirror.Join(ctx, "origin", true)
	require.NoError(t, err)
	l.agree(t)
}

// The branch of a task on the remote belongs to its holder: a clone that gives moves
// back may have a branch of that name from an earlier coder.
func TestPublishLeavesWorkInProgress(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1")
	l.a.claim("task-1", coder)
	l.loses(t, func() { l.a.add("task-2") })
	gittest.Git(t, l.bare, "update-ref", "refs/heads/liza/task-1", string(l.at(t, layout.State)))
	gittest.Git(t, l.a.dir, "update-ref", "refs/heads/liza/task-1", "refs/heads/integration")
	_, err := l.a.store.Mirror.Join(context.Background(), "origin", true)
	require.NoError(t, err)
	require.Equal(t, l.a.at(layout.State), l.at(t, layout.State))
	require.NotEqual(t, l.a.at("refs/heads/liza/task-1"), l.at(t, "refs/heads/liza/task-1"))
	l.agree(t)
}

// Killed at any step of giving back, it is completed by typing it again.
func TestTorturePublishKilled(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for n := 1; ; n++ {
		l := newLane(t)
		l.a.add("task-1")
		var one git.ID
		l.loses(t, func() { one = l.a.submit("task-1", coder, "a.md", "one\n") })
		newest := l.a.at(layout.State)
		where := filepath.Join(l.a.dir, ".git")
		killed := killedAt(t, l.a.dir, where, "publish", n)
		if killed {
			gittest.Until(t, "it is typed again", func() bool {
				l.a.store = l.a.open()
				_, err := l.a.store.Mirror.Join(context.Background(), "origin", true)
				return err == nil
			})
		}
		require.Equal(t, newest, l.at(t, layout.State))
		require.Equal(t, one, l.at(t, "refs/liza/saved/task-1/1"))
		l.agree(t)
		if !killed {
			require.Greater(t, n, 1)
			return
		}
	}
}
