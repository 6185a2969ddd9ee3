package gitstore

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// begunIn begins a board in a repository from a mark of origin, and returns the
// repository.
func begunIn(t *testing.T, dir, mark, id string) *desk {
	t.Helper()
	d := &desk{t: t, dir: dir, now: boardTime}
	d.store = d.open()
	from, err := d.store.Origins.FetchMark(context.Background(), "origin", mark)
	require.NoError(t, err)
	d.begin(from, id, "second")
	require.NoError(t, d.store.Origins.Forget(context.Background(), "origin"))
	require.Empty(t, gittest.Git(t, dir, "for-each-ref", "refs/liza/remote"))
	return d
}

// begin begins a board from a marked state.
func (d *desk) begin(from MarkedState, id, branch string) Result {
	d.t.Helper()
	r, err := d.store.Fork(context.Background(), from, forking(from, id, branch))
	require.NoError(d.t, err)
	return r
}

// forking builds the move that begins a board with a branch of its own.
func forking(from MarkedState, id, branch string) Build {
	return func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: flow.ActFork, By: ann, Detail: &flow.ForkMove{Board: id, Mark: from.Mark, Reason: "another try", Created: true,
			Integration: flow.Branch{Name: branch, Tip: b.Settings().Integration.Tip}}}, nil, nil
	}
}

// originOf is a bare clone of a repository with a board whose mark "cut" has merged,
// submitted and claimed work; after the mark the board went on.
func originOf(t *testing.T, repository string) *desk {
	t.Helper()
	bare := filepath.Join(t.TempDir(), "origin.git")
	gittest.Git(t, ".", "clone", "-q", "--bare", repository, bare)
	d := newDesk(t, bare)
	d.life("task-1", "a.md")
	d.add("task-2", "task-3")
	d.submit("task-2", coder, "b.md", "two\n")
	d.claim("task-3", "coder-2")
	d.do(flow.Move{Act: flow.ActMark, By: ann, Detail: &flow.MarkMove{Name: "cut"}})
	d.life("task-4", "d.md")
	gittest.Git(t, bare, "config", "uploadpack.allowFilter", "true")
	return d
}

// continues holds that a board that began from "cut" of another one has its tasks,
// and none of what followed, and goes on.
func (d *desk) continues(from *desk) {
	d.t.Helper()
	b := d.board()
	require.Equal(d.t, flow.Merged, b.Task("task-1").Status)
	require.Equal(d.t, flow.ReadyForReview, b.Task("task-2").Status)
	require.Equal(d.t, flow.Unclaimed, b.Task("task-3").Status)
	require.Nil(d.t, b.Task("task-4"))
	require.Empty(d.t, b.IDs(flow.Agents))
	require.Equal(d.t, from.at("refs/liza/saved/task-2/1"), d.at("refs/liza/saved/task-2/1"))
	require.Equal(d.t, from.at("refs/liza/marks/cut"), d.at("refs/liza/marks/cut"))
	require.Empty(d.t, d.at("refs/liza/saved/task-4/1"))
	require.Equal(d.t, b.Settings().Integration.Tip, d.at("refs/heads/second"))
	d.approve("task-2", b.Task("task-2").Submission.Commit)
	d.merge("task-2")
	d.life("task-4", "e.md")
	d.sound()
}

// TestForkConformance begins a board in every kind of repository.
func TestForkConformance(t *testing.T) {
	t.Parallel()
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := make(t)
			origin := originOf(t, k.Common)
			gittest.Git(t, k.Dir, "config", "remote.origin.url", origin.dir)
			begunIn(t, k.Dir, "cut", "aa66554433221100").continues(origin)
		})
	}
	for name, args := range map[string][]string{"shallow": {"--depth=1"}, "partial": {"--filter=blob:none"}, "single branch": {"--single-branch"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin, dir := originOf(t, gittest.Seeded(t)), filepath.Join(t.TempDir(), "clone")
			gittest.Git(t, ".", append(append([]string{"clone", "-q"}, args...), "file://"+origin.dir, dir)...)
			begunIn(t, dir, "cut", "aa66554433221100").continues(origin)
		})
	}
}

// TestForkHere begins a board from refs that an earlier board left. What belongs to
// moves after the mark is put aside, so that the new board's moves can have its names.
func TestForkHere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := originOf(t, gittest.Seeded(t))
	was := *d
	later, state := d.at("refs/liza/saved/task-4/1"), d.at(layout.State)
	from, err := d.store.Origins.ReadMark(ctx, "cut")
	require.NoError(t, err)
	_, err = d.store.Fork(ctx, from, forking(from, "aa66554433221100", "second"))
	requireRule(t, err, flow.RuleExists, "")
	gittest.Git(t, d.dir, "update-ref", "-d", layout.State)
	d.store = d.open()
	_, err = d.store.Origins.ReadMark(ctx, "nothing")
	requireRule(t, err, flow.RuleNotFound, "")
	r := d.begin(from, "aa66554433221100", "second")
	require.NotEqual(t, state, r.Commit)
	require.Equal(t, later, d.at(layout.LostRefs+from.Commit.Short()+"/saved/task-4/1"))
	again := d.begin(from, "bb66554433221100", "second")
	require.True(t, again.Already)
	require.Equal(t, r.Commit, d.at(layout.State))
	gittest.Git(t, d.dir, "update-ref", "-d", "refs/liza/saved/task-1/1")
	d.begin(from, "bb66554433221100", "second")
	require.NotEmpty(t, d.at("refs/liza/saved/task-1/1"), "a killed fork lacks saved commits")
	d.continues(&was)
}

// Store.Do never begins a board: that of the clone goes on, or there is none.
func TestForkByDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	tip := d.at(layout.State)
	move, _, err := forking(MarkedState{Mark: "sprint-1"}, "aa66554433221100", "second")(d.board(), d.now)
	require.NoError(t, err)
	_, err = d.try(move)
	requireRule(t, err, flow.RuleExists, "")
	require.Equal(t, tip, d.at(layout.State))
}

// A mark whose history was forged begins nothing.
func TestForkOfForgedHistory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t, gittest.Seeded(t))
	added := d.add("task-1").Commit
	tree := gittest.Git(t, d.dir, "rev-parse", string(added)+"^{tree}")
	forged := d.forged(strings.Replace(d.raw(added), tree, string(d.edited(added, map[string]string{gittest.Git(t, d.dir, "ls-tree", "-r", "--full-tree", "--name-only", string(added), "tasks/"): ""})), 1))
	require.NotEqual(t, added, forged)
	gittest.Git(t, d.dir, "update-ref", "refs/liza/marks/sprint-2", string(forged))
	gittest.Git(t, d.dir, "update-ref", "-d", layout.State)
	d.store = d.open()
	from, err := d.store.Origins.ReadMark(ctx, "sprint-2")
	if err == nil {
		_, err = d.store.Fork(ctx, from, forking(from, "aa66554433221100", "second"))
	}
	require.Error(t, err)
	require.Empty(t, d.at(layout.State))
}

// An old board that stands at the mark does not take the board that begins there for
// its continuation, also not one that went back to the old board's id.
func TestForkIsNoContinuation(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.do(flow.Move{Act: flow.ActMark, By: ann, Detail: &flow.MarkMove{Name: "cut"}})
	l.agree(t)
	old := l.b.board().Settings().Board
	other := &desk{t: t, dir: l.clone(t), now: l.a.now}
	other.store = other.open()
	from, err := other.store.Origins.FetchMark(ctx, "origin", "cut")
	require.NoError(t, err)
	other.begin(from, "aa66554433221100", "second")
	_, err = other.store.Mirror.Join(ctx, "origin", true)
	require.ErrorIs(t, err, ErrDiverged)
	require.ErrorContains(t, err, "from whose cut this one began")

	for _, id := range []string{"aa66554433221100", old} {
		if id == old { // a fork of the fork with the first board's id
			tip, fork := other.at(layout.State), from
			fork.Commit, fork.Board = tip, other.board()
			gittest.Git(t, other.dir, "update-ref", "-d", layout.State, string(tip))
			other.store = other.open()
			other.begin(fork, old, "third")
		}
		tip := l.b.at(layout.State)
		gittest.Git(t, l.bare, "fetch", "-q", other.dir, "+"+layout.State+":"+layout.State)
		_, err = l.b.store.Mirror.Sync(ctx)
		require.ErrorIs(t, err, ErrDiverged, id)
		require.ErrorContains(t, err, "which began from cut of this one")
		_, err = l.b.try(flow.Move{Act: flow.ActNote, By: ann, Detail: &flow.NoteMove{Text: "hello"}})
		require.ErrorIs(t, err, ErrDiverged, id)
		_, err = l.b.store.Mirror.Join(ctx, "origin", true)
		require.ErrorIs(t, err, ErrDiverged, id)
		_, err = l.b.store.Mirror.TakeTheirs(ctx, "origin")
		require.ErrorIs(t, err, ErrDiverged, id)
		require.Equal(t, tip, l.b.at(layout.State))
	}
}
