package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A lane is two clones of one bare repository, each with a mirror of a board
// that lives there.
type lane struct {
	bare string
	a, b *desk
}

var lanes gittest.Template

// newLane is a lane whose board was made in a and published.
func newLane(t *testing.T) lane {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, lanes.Copy(root, func(root string) error {
		makeLane(t, root)
		return nil
	}))
	l := laneAt(t, root)
	for _, d := range []*desk{l.a, l.b} {
		d.store = d.open()
	}
	return l
}

func laneAt(t *testing.T, root string) lane {
	return lane{bare: filepath.Join(root, "bare.git"), a: &desk{t: t, dir: filepath.Join(root, "a"), now: boardTime},
		b: &desk{t: t, dir: filepath.Join(root, "b"), now: boardTime}}
}

func makeLane(t *testing.T, root string) {
	t.Helper()
	l := laneAt(t, root)
	gittest.Git(t, root, "clone", "-q", "--bare", gittest.Seeded(t), l.bare)
	gittest.Git(t, root, "clone", "-q", l.bare, l.a.dir)
	l.a = newDesk(t, l.a.dir)
	synced, err := l.a.store.Mirror.Join(context.Background(), "origin", false)
	require.NoError(t, err)
	require.True(t, synced.Published)
	gittest.Git(t, root, "clone", "-q", l.bare, l.b.dir)
	l.b.store = l.b.open()
	synced, err = l.b.store.Mirror.Join(context.Background(), "origin", false)
	require.NoError(t, err)
	require.False(t, synced.Published)
	require.Equal(t, l.a.at(layout.State), l.b.at(layout.State))
	l.agree(t)
}

func (l lane) clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, l.bare, "clone", "-q", l.bare, dir)
	return dir
}

func (l lane) at(t *testing.T, ref string) git.ID {
	t.Helper()
	out := gittest.Git(t, l.bare, "for-each-ref", "--format=%(objectname)", ref)
	return git.ID(out)
}

// agree holds both mirrors, after a look, against the remote.
func (l lane) agree(t *testing.T) {
	t.Helper()
	for _, d := range []*desk{l.a, l.b} {
		d.store = d.open()
		_, err := d.store.Mirror.Sync(context.Background())
		require.NoError(t, err)
		require.Equal(t, l.at(t, layout.State), d.at(layout.State))
		require.Equal(t, l.at(t, "refs/heads/integration"), d.at("refs/heads/integration"))
		require.Equal(t, d.board().Settings().Integration.Tip, d.at("refs/heads/integration"))
		d.sound()
	}
}

func TestRemoteMove(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	require.Equal(t, l.a.at(layout.State), l.at(t, layout.State))
	require.NotEqual(t, l.a.at(layout.State), l.b.at(layout.State))
	l.b.claim("task-1", coder)
	require.Equal(t, l.b.at(layout.State), l.at(t, layout.State))

	_, err := l.a.store.Do(context.Background(), claim("task-1", "coder-2"))
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, flow.RuleLease, refusal.Rule)
	require.Contains(t, refusal.Reason, "coder-1")
	require.Contains(t, refusal.Reason, "2026-01-17T14:36:00Z")
	l.agree(t)
}

// A whole life of a task: its refs travel with its moves.
func TestRemoteLife(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	commit := l.b.submit("task-1", coder, "a.md", "one\n")
	require.Equal(t, commit, l.at(t, "refs/liza/saved/task-1/1"))
	require.Equal(t, commit, l.at(t, "refs/heads/liza/task-1"))

	ctx := context.Background()
	_, err := l.a.store.Mirror.Sync(ctx)
	require.NoError(t, err)
	require.Empty(t, l.a.at("refs/liza/saved/task-1/1"), "saved commits come when they are needed")
	require.NoError(t, l.a.store.Mirror.BringCommits(ctx, "task-1", commit))
	require.Equal(t, commit, l.a.at("refs/liza/saved/task-1/1"))
	l.a.approve("task-1", commit)
	merged := l.a.merge("task-1")
	tip := merged.After.Task("task-1").Merge.Commit
	require.Equal(t, tip, l.at(t, "refs/heads/integration"))
	require.Equal(t, tip, l.a.at("refs/heads/integration"))
	require.Empty(t, l.at(t, "refs/heads/liza/task-1"))
	require.NoError(t, l.a.store.Mirror.CheckLanded(ctx, tip))
	require.NoError(t, l.b.store.Mirror.CheckLanded(ctx, tip))
	require.Error(t, l.b.store.Mirror.CheckLanded(ctx, commitOf(t, l.b, "stray")))
	l.agree(t)
}

// commitOf is a commit that no branch has.
func commitOf(t *testing.T, d *desk, name string) git.ID {
	t.Helper()
	return d.commit(d.at("refs/heads/main"), name, name+"\n")
}

func TestRemoteHearsNothingOfOurs(t *testing.T) {
	l := newLane(t)
	said := filepath.Join(t.TempDir(), "env")
	l.hook(t, "pre-receive", "env >'"+said+"'")
	t.Setenv("LIZA_JUDGED", "x")
	t.Setenv("LIZA_AGENT_ID", "coder-1")
	l.a.add("task-1")
	env, err := os.ReadFile(said)
	require.NoError(t, err)
	require.NotContains(t, string(env), "LIZA_")
	require.Contains(t, string(env), "GIT_TERMINAL_PROMPT=0")
}

// Somebody else's lock on what this clone saw of the remote goes away, and is
// waited for: the remote is there.
func TestRemoteSeenBesideALock(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.b.add("task-1")
	lock := filepath.Join(l.a.dir, ".git", layout.RemoteRef("origin", "state")+".lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o666))
	removed := make(chan error, 1)
	time.AfterFunc(700*time.Millisecond, func() { removed <- os.Remove(lock) })
	_, err := l.a.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	require.NoError(t, <-removed)
	l.agree(t)
}

// A remote that answers is asked again for what could not be taken from it, as
// a `git gc` beside a fetch removes the folder that it has just made.
func TestRemoteThatAnswersIsAskedAgain(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.b.add("task-1")
	asked := filepath.Join(t.TempDir(), "asked")
	program := filepath.Join(t.TempDir(), "upload-pack")
	// The first is a fetch, the second asks which refs there are, the third and
	// the fourth fetch what was found.
	gittest.Script(t, program, "#!/bin/sh\nprintf x >> '"+asked+"'\ncase $(cat '"+asked+"') in x | xxx | xxxx) exit 1 ;; esac\nexec git-upload-pack \"$@\"\n")
	gittest.Git(t, l.a.dir, "config", "remote.origin.uploadpack", program)
	_, err := l.a.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	require.Equal(t, l.b.at(layout.State), l.a.at(layout.State))
	gittest.Git(t, l.a.dir, "config", "--unset", "remote.origin.uploadpack")
	l.agree(t)
}

// A fetch outlives the process beside it that was killed, and writes the older
// view that it had of the remote over that of a later one.
func TestRemoteSeenByAFetchThatCameLate(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	old := l.a.at(layout.State)
	_, err := l.a.store.Do(context.Background(), note("first"))
	require.NoError(t, err)
	seen := filepath.Join(l.a.dir, ".git", "late")
	hook := "#!/bin/sh\n[ \"$1\" = committed ] && [ -e '" + seen + "' ] && grep -q refs/liza/remote/origin/state || exit 0\n" +
		"rm '" + seen + "'\nexec git update-ref refs/liza/remote/origin/state " + string(old) + "\n"
	gittest.Script(t, filepath.Join(l.a.dir, ".git", "hooks", "reference-transaction"), hook)
	_, err = l.b.store.Do(context.Background(), note("second"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(seen, nil, 0o666))
	_, err = l.a.store.Mirror.Sync(context.Background())
	require.NoError(t, err)
	require.NoFileExists(t, seen, "the older view was there")
	require.Equal(t, l.b.at(layout.State), l.a.at(layout.State))
	l.agree(t)
}
