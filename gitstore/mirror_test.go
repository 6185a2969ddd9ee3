package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// follower is a checkout of integration that may be in the way.
type follower struct {
	dirty    error
	followed [][2]git.ID
}

func (f *follower) MayFollow(context.Context, git.ID, git.ID) error { return f.dirty }

func (f *follower) Follow(_ context.Context, from, to git.ID) error {
	f.followed = append(f.followed, [2]git.ID{from, to})
	return nil
}

// merged brings some tasks to integration from b.
func (l lane) merged(t *testing.T, ids ...board.TaskID) git.ID {
	t.Helper()
	for _, id := range ids {
		l.b.life(id, string(id)+".md")
	}
	return l.b.at("refs/heads/integration")
}

// A checkout with changes leaves integration behind; it is rolled forward when
// that is possible, over several merges of other clones.
func TestMirrorLeavesADirtyCheckoutBehind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	f := &follower{dirty: errors.New("it has changes")}
	l.a.store.Settler.Follower = f
	first := l.a.at("refs/heads/integration")
	l.merged(t, "task-1")
	synced, err := l.a.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	require.ErrorContains(t, synced.Behind, "it has changes")
	require.Equal(t, l.b.at(layout.State), l.a.at(layout.State))
	require.Equal(t, first, l.a.at("refs/heads/integration"))
	second := l.merged(t, "task-2")
	_, err = l.a.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	l.a.claimable("task-3")
	require.Equal(t, first, l.a.at("refs/heads/integration"), "a move leaves it alone too")
	l.a.sound()

	f.dirty = nil
	require.NoError(t, l.a.store.Settler.Settle(ctx))
	require.Equal(t, second, l.a.at("refs/heads/integration"))
	require.Equal(t, [][2]git.ID{{first, second}}, f.followed)
	l.agree(t)
}

// claimable adds a task and claims it.
func (d *desk) claimable(id board.TaskID) {
	d.t.Helper()
	d.add(id)
	d.claim(id, coder)
}

// Own merges bring the checkout along as well; one that something else has
// moved stays where it is, and stops no merge: the remote's branch counts.
func TestMirrorMerges(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	f := &follower{}
	l.b.store.Settler.Follower = f
	first := l.b.at("refs/heads/integration")
	second := l.merged(t, "task-1")
	require.Equal(t, [][2]git.ID{{first, second}}, f.followed)

	foreign := commitOf(t, l.b, "foreign")
	gittest.Git(t, l.b.dir, "update-ref", "refs/heads/integration", string(foreign))
	l.b.life("task-2", "two.md")
	require.Equal(t, foreign, l.b.at("refs/heads/integration"))
	require.Equal(t, l.b.board().Settings().Integration.Tip, l.at(t, "refs/heads/integration"))
	_, breach, err := l.b.store.Audit.Fsck(context.Background(), true)
	require.NoError(t, err)
	require.ErrorIs(t, breach.Err, ErrForeignRef)
	gittest.Git(t, l.b.dir, "update-ref", "refs/heads/integration", string(second))
	l.agree(t)
}

// The remote's integration branch was moved by something else: merges say so,
// other moves work, and an adoption heals it.
func TestMirrorForeignIntegration(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.b.add("task-1", "task-2")
	l.b.approve("task-1", l.b.submit("task-1", coder, "a.md", "one\n"))
	tip := l.at(t, "refs/heads/integration")
	hotfix := l.a.commit(tip, "hotfix", "x\n")
	gittest.Git(t, l.a.dir, "push", "-q", "origin", string(hotfix)+":refs/heads/integration")

	_, err := l.b.store.Do(ctx, merging(l.b.store, "task-1"))
	require.ErrorIs(t, err, ErrForeignRef)
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "git liza adopt refs/liza/remote/origin/integration --reason R", refusal.Hint)
	l.b.claim("task-2", "coder-2")
	require.Equal(t, hotfix, l.b.at("refs/liza/remote/origin/integration"))
	l.b.do(adopt(hotfix, tip))
	require.Equal(t, hotfix, l.at(t, "refs/heads/integration"))
	second := l.b.commit(hotfix, "hotfix", "y\n")
	third := l.b.commit(second, "hotfix", "z\n")
	gittest.Git(t, l.b.dir, "push", "-q", "origin", string(second)+":refs/heads/integration")
	_, err = l.b.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	l.b.do(adopt(third, hotfix))
	require.Equal(t, third, l.at(t, "refs/heads/integration"), "it contains what the remote had")
	l.b.merge("task-1")
	l.agree(t)
}

// A remote's board that went another way is refused, both tips named.
func TestMirrorDiverged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1")
	_, err := l.b.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	l.a.claim("task-1", coder)
	ours := l.a.at(layout.State)
	gittest.Git(t, l.bare, "update-ref", layout.State, string(l.b.at(layout.State)))
	// One after the other: each begins where the one before ended.
	for _, way := range []struct {
		name   string
		change func()
	}{
		{"rewound", func() {}},
		{"forked", func() { l.b.claim("task-1", "coder-2") }},
		{"gone", func() { gittest.Git(t, l.bare, "update-ref", "-d", layout.State) }},
	} {
		way.change()
		for _, act := range []func() error{
			func() error { _, err := l.a.store.Mirror.Sync(ctx); return err },
			func() error { _, err := l.a.store.Do(ctx, note("x")); return err },
		} {
			err := act()
			require.ErrorIs(t, err, ErrDiverged, way.name)
			require.ErrorContains(t, err, ours.Short(), way.name)
			if theirs := l.at(t, layout.State); theirs != "" {
				require.ErrorContains(t, err, theirs.Short(), way.name)
			}
			require.Equal(t, ours, l.a.at(layout.State), way.name)
		}
	}
	emptyOutbox(t, l.a)
}

// A remote's state that does not replay is not followed.
func TestMirrorCorrupt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	good := l.a.at(layout.State)
	c, err := l.b.store.objects.Commit(good)
	require.NoError(t, err)
	forged := git.ID(gittest.Git(t, l.b.dir, "commit-tree", "-p", string(good), "-m", "pause by human:ann\n\nact: pause\nby: human:ann", string(c.Tree)))
	gittest.Git(t, l.b.dir, "push", "-q", "origin", string(forged)+":"+layout.State)
	for _, act := range []func() error{
		func() error { _, err := l.a.store.Mirror.Sync(ctx); return err },
		func() error { _, err := l.a.store.Do(ctx, note("x")); return err },
	} {
		var breach *Breach
		require.ErrorAs(t, act(), &breach)
		require.Equal(t, forged, breach.Commit)
		require.Equal(t, good, l.a.at(layout.State))
	}
	l.a.sound()
}

// Nothing that a user configures changes what a push or a fetch does.
func TestRemoteWhateverIsConfigured(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	for key, value := range map[string]string{
		"remote.origin.mirror": "true", "remote.origin.prune": "true", "push.followTags": "true", "push.gpgSign": "true",
		"push.pushOption": "x", "push.default": "nothing", "fetch.prune": "true", "fetch.pruneTags": "true", "remote.origin.tagOpt": "--tags",
		"push.recurseSubmodules": "check", "core.askPass": "/bin/false", "maintenance.auto": "true", "remote.origin.push": "refs/heads/main:refs/heads/x",
	} {
		gittest.Git(t, l.a.dir, "config", key, value)
	}
	gittest.Git(t, l.a.dir, "config", "--add", "remote.origin.fetch", "+refs/liza/*:refs/liza/*")
	gittest.Git(t, l.a.dir, "tag", "-a", "-m", "mine", "mine")
	gittest.Script(t, filepath.Join(l.a.dir, ".git", "hooks", "pre-push"), "#!/bin/sh\nexit 1\n")
	gittest.Git(t, l.bare, "config", "receive.denyDeletes", "true")
	l.a.store = l.a.open()
	l.b.add("task-1")
	l.a.approve("task-1", l.a.submit("task-1", coder, "a.md", "one\n"))
	gittest.Git(t, l.bare, "pack-refs", "--all")
	gittest.Git(t, l.a.dir, "pack-refs", "--all")
	l.a.merge("task-1")
	gittest.Git(t, l.bare, "gc", "-q", "--prune=now")
	gittest.Git(t, l.a.dir, "gc", "-q", "--prune=now")
	l.a.store = l.a.open()
	l.a.claimable("task-2")
	require.Empty(t, gittest.Git(t, l.bare, "for-each-ref", "refs/tags", "refs/heads/x"))
	require.NotEmpty(t, l.at(t, "refs/heads/liza/task-1"), "it denies deletions, and gets the merge all the same")
	l.agree(t)
}

// Nobody is asked for a password.
func TestRemoteAsksNobody(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	ask := filepath.Join(t.TempDir(), "ask")
	gittest.Script(t, ask, "#!/bin/sh\n: >'"+asked+"'\n")
	helper := filepath.Join(t.TempDir(), "git-remote-prompt")
	gittest.Script(t, helper, "#!/bin/sh\nprintf 'protocol=https\\nhost=example.invalid\\n\\n' | git credential fill && exit 1\n"+
		"(: </dev/tty) 2>/dev/null && : >'"+asked+"'\nexit 128\n")
	t.Setenv("PATH", filepath.Dir(helper)+":"+os.Getenv("PATH"))
	for _, name := range []string{"GIT_ASKPASS", "SSH_ASKPASS"} {
		t.Setenv(name, ask)
	}
	l := newLane(t)
	gittest.Git(t, l.a.dir, "config", "remote.origin.url", "prompt::x")
	gittest.Git(t, l.a.dir, "config", "core.askPass", ask)
	l.a.store = l.a.open()
	_, err := l.a.store.Do(context.Background(), note("x"))
	require.ErrorIs(t, err, ErrOffline)
	require.NoFileExists(t, asked)
}
