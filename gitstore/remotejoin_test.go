package gitstore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// fresh is a clone without a board.
func (l lane) fresh(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: l.clone(t), now: l.a.now}
	d.store = d.open()
	return d
}

func refusedWith(t *testing.T, err error, hint string) {
	t.Helper()
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, hint, refusal.Hint)
}

func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := &desk{t: t, dir: gittest.Seeded(t)}
	d.store = d.open()
	_, err := d.store.Mirror.Join(ctx, "origin", false)
	refusedWith(t, err, "git remote add origin URL")
	gittest.Git(t, d.dir, "clone", "-q", "--bare", ".", d.dir+".git")
	gittest.Git(t, d.dir, "remote", "add", "origin", d.dir+".git")
	d.store = d.open()
	_, err = d.store.Mirror.Join(ctx, "origin", false)
	refusedWith(t, err, "git liza init --remote origin")
	name, err := d.store.Authority(ctx)
	require.NoError(t, err)
	require.Empty(t, name)
	_, err = d.store.Mirror.Sync(ctx)
	require.Error(t, err)
	require.NoError(t, d.store.Mirror.CheckLanded(ctx, d.at("refs/heads/main")), "a clone is its own authority")
}

// A board with a history is published whole: saved commits, marks and the
// branches of open tasks.
func TestJoinPublishes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t, gittest.Seeded(t))
	d.life("task-1", "a.md")
	d.add("task-2", "task-3")
	second := d.submit("task-2", coder, "b.md", "two\n")
	third := d.claim("task-3", coder).After.Task("task-3").Attempt.Start
	gittest.Git(t, d.dir, "update-ref", "refs/heads/liza/task-3", string(third))
	gittest.Git(t, d.dir, "update-ref", "refs/liza/saved/stray/1", string(third))
	bare := d.dir + ".git"
	gittest.Git(t, d.dir, "init", "-q", "--bare", bare)
	gittest.Git(t, d.dir, "remote", "add", "origin", bare)
	d.store = d.open()
	synced, err := d.store.Mirror.Join(ctx, "origin", false)
	require.NoError(t, err)
	require.True(t, synced.Published)
	require.Equal(t, gittest.Git(t, d.dir, "rev-list", "--count", layout.State), gittest.Git(t, bare, "rev-list", "--count", layout.State))
	require.Positive(t, synced.Moves)
	for ref, want := range map[string]git.ID{
		layout.State: d.at(layout.State), "refs/heads/integration": d.at("refs/heads/integration"), "refs/heads/liza/task-2": second,
		"refs/heads/liza/task-3": third, "refs/liza/saved/task-1/1": d.at("refs/liza/saved/task-1/1"), "refs/liza/saved/task-2/1": second,
		"refs/liza/marks/sprint-1": d.at("refs/liza/marks/sprint-1"), "refs/liza/saved/stray/1": "", "refs/heads/liza/task-1": "",
	} {
		require.Equal(t, string(want), gittest.Git(t, bare, "for-each-ref", "--format=%(objectname)", ref), ref)
	}
	again, err := d.store.Mirror.Join(ctx, "origin", false)
	require.NoError(t, err)
	require.False(t, again.Published)
	d.add("task-4")

	gittest.Git(t, bare, "symbolic-ref", "HEAD", "refs/heads/integration")
	l := lane{bare: bare, a: d}
	l.b = l.fresh(t)
	gittest.Git(t, l.b.dir, "checkout", "-q", "--detach")
	gittest.Git(t, l.b.dir, "branch", "-q", "-D", "integration")
	_, err = l.b.store.Mirror.Join(ctx, "origin", false)
	require.NoError(t, err)
	require.Equal(t, d.at("refs/liza/marks/sprint-1"), l.b.at("refs/liza/marks/sprint-1"))
	l.agree(t)
}

// Of two boards of which one continues the other the longer one counts.
func TestJoinTwoBoards(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	gittest.Git(t, l.a.dir, "config", "--unset", "liza.remote")
	l.a.store = l.a.open()
	l.a.add("task-1")
	l.a.submit("task-1", coder, "a.md", "one\n")
	ours, theirs := l.a.at(layout.State), l.at(t, layout.State)
	_, err := l.a.store.Mirror.Join(ctx, "origin", false)
	refusedWith(t, err, "git liza sync --set origin --publish")
	require.Equal(t, theirs, l.at(t, layout.State))
	synced, err := l.a.store.Mirror.Join(ctx, "origin", true)
	require.NoError(t, err)
	require.True(t, synced.Published)
	require.Equal(t, 4, synced.Moves)
	require.Equal(t, ours, l.at(t, layout.State))
	require.Equal(t, l.a.at("refs/liza/saved/task-1/1"), l.at(t, "refs/liza/saved/task-1/1"))

	synced, err = l.b.store.Mirror.Join(ctx, "origin", true)
	require.NoError(t, err)
	require.False(t, synced.Published)
	require.Equal(t, 4, synced.Moves)
	l.agree(t)

	other := l.fresh(t)
	other.do(other.initial(other.at("refs/heads/main")))
	other.add("task-9")
	_, err = other.store.Mirror.Join(ctx, "origin", true)
	require.ErrorIs(t, err, ErrDiverged)
	require.ErrorContains(t, err, other.at(layout.State).Short())
	require.ErrorContains(t, err, ours.Short())
}

// A server that takes push options is told that this is a publication.
func TestJoinSaysThatItPublishes(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	gittest.Git(t, l.a.dir, "config", "--unset", "liza.remote")
	gittest.Git(t, l.bare, "config", "receive.advertisePushOptions", "true")
	l.hook(t, "pre-receive", `test "$GIT_PUSH_OPTION_0" = liza-publish`)
	l.a.store = l.a.open()
	l.a.add("task-1")
	_, err := l.a.store.Mirror.Join(context.Background(), "origin", true)
	require.NoError(t, err)
	l.hook(t, "pre-receive", `test "${GIT_PUSH_OPTION_COUNT:-0}" = 0`)
	l.agree(t)
	l.a.claim("task-1", coder)
}

// An integration branch of the remote that has something else is in the way.
func TestJoinForeignIntegration(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	gittest.Git(t, l.bare, "update-ref", "-d", layout.State)
	foreign := commitOf(t, l.b, "foreign")
	gittest.Git(t, l.b.dir, "push", "-q", "-f", "origin", string(foreign)+":refs/heads/integration")
	_, err := l.a.store.Mirror.Join(context.Background(), "origin", false)
	require.ErrorIs(t, err, ErrForeignRef)
	require.Empty(t, l.at(t, layout.State))
	require.Equal(t, foreign, l.at(t, "refs/heads/integration"))
}

// Bring fetches what other clones saved of a task, and says what nobody has.
func TestBring(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	one, two := l.a.submit("task-1", coder, "a.md", "one\n"), l.a.submit("task-2", "coder-2", "b.md", "two\n")
	require.NoError(t, l.b.store.Mirror.BringCommits(ctx, "task-1"))
	require.NoError(t, l.b.store.Mirror.BringCommits(ctx, "task-1", one))
	require.Equal(t, one, l.b.at("refs/liza/saved/task-1/1"))
	require.Empty(t, l.b.at("refs/liza/saved/task-2/1"))
	require.Empty(t, gittest.Git(t, l.b.dir, "for-each-ref", "refs/liza/remote/origin/saved"))
	err := l.b.store.Mirror.BringCommits(ctx, "task-1", one, two)
	require.ErrorIs(t, err, git.ErrNoCommit)
	require.ErrorContains(t, err, two.Short())
	require.NoError(t, l.b.store.Mirror.BringCommits(ctx, "task-2", two, one))
	l.agree(t)
}
