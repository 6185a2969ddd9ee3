package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A state ref that is gone is told from a board that never was, and comes
// back.
func TestRepairOfALostState(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(d *desk){
		"without its reflog": func(d *desk) { gittest.Git(t, d.dir, "update-ref", "-d", layout.State) },
		"with its reflog":    func(d *desk) { require.NoError(t, os.Remove(filepath.Join(d.dir, ".git", layout.State))) },
	} {
		ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
		d.add("task-1")
		at := d.at(layout.State)
		// A move that lost its race lies around, and so does a commit that is none.
		draft := d.tampered(at)
		gittest.Git(t, d.dir, "update-ref", layout.State, string(at))
		d.commit(d.at("refs/heads/main"), "stray", "x\n")
		last := d.claim("task-1", coder).Commit
		require.NotEqual(t, draft, last)
		lose(d)
		d.store = d.open()

		_, _, err := d.store.Board(ctx)
		require.ErrorIs(t, err, ErrStateLost, name)
		require.False(t, errors.Is(err, ErrNoBoard))
		require.ErrorContains(t, err, "refs/liza/marks/")
		_, err = d.try(flow.Move{Act: board.ActPause, By: ann, Detail: &flow.PauseMove{Reason: "x"}})
		require.ErrorIs(t, err, ErrStateLost)
		_, err = d.try(d.initial(d.at("refs/heads/main")))
		require.ErrorIs(t, err, ErrStateLost, "and nobody begins anew beside it")

		done, err := d.store.Repairer.Repair(ctx)
		require.NoError(t, err, name)
		require.Equal(t, Repaired{Is: last}, done, name)
		require.Equal(t, last, d.at(layout.State))
		require.NotEmpty(t, gittest.Git(t, d.dir, "reflog", "show", layout.State))
		d.sound()
		d.do(d.released("task-1"))
	}
}

// Of several chains it is the one that the marks lie on.
func TestRepairOfALostStateGoesByItsMarks(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	last := d.add("task-1").Commit
	marks, err := d.store.leftRefs(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, marks)

	// Another board, with more moves, of which nothing is left but its commits.
	d.forget()
	d.now = d.now.Add(time.Minute)
	d.do(d.initial(d.at("refs/heads/main")))
	d.add("task-1")
	d.add("task-2")
	d.forget()
	for name, id := range marks {
		gittest.Git(t, d.dir, "update-ref", name, string(id))
	}
	done, err := d.store.Repairer.Repair(ctx)
	require.NoError(t, err)
	require.Equal(t, last, done.Is)

	// Without marks it is the one that this clone wrote last; where nobody knows
	// that, the longer one.
	d.forget()
	gittest.Git(t, d.dir, "update-ref", "refs/liza/saved/task-1/1", "main")
	done, err = d.store.Repairer.Repair(ctx)
	require.NoError(t, err)
	require.Equal(t, last, done.Is)
	d.forget()
	require.NoError(t, os.Remove(d.store.statePath("written")))
	gittest.Git(t, d.dir, "update-ref", "refs/liza/saved/task-1/1", "main")
	done, err = d.store.Repairer.Repair(ctx)
	require.NoError(t, err)
	require.NotEqual(t, last, done.Is)
	require.NotNil(t, d.board().Task("task-2"))
}

// forget deletes all refs of the board.
func (d *desk) forget() {
	d.t.Helper()
	refs, err := d.store.Repo.Refs.List(context.Background(), "refs/liza")
	require.NoError(d.t, err)
	for name := range refs {
		gittest.Git(d.t, d.dir, "update-ref", "-d", name)
	}
	gittest.Git(d.t, d.dir, "update-ref", "-d", "refs/heads/integration")
	d.store = d.open()
}

// Whatever lies on top of the newest state that replays, the board goes back to
// that state and no further, and what it passes over is kept.
func TestRepairGoesBackToTheNewestState(t *testing.T) {
	t.Parallel()
	gone := func(d *desk) { gittest.Git(d.t, d.dir, "update-ref", "-d", layout.State) }
	set := func(d *desk, id git.ID) {
		require.NoError(d.t, d.store.Repo.Refs.MoveRefs(context.Background(), []git.RefUpdate{{Name: layout.State, New: id, Any: true}}, "set"))
	}
	none := func(d *desk, parents ...string) git.ID { // a commit that is no move
		args := []string{"commit-tree", "-m", "no move"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return git.ID(gittest.Git(d.t, d.dir, append(args, string(d.at(layout.State))+"^{tree}")...))
	}
	for name, c := range map[string]struct {
		spoil func(d *desk, last git.ID)
		kept  int // commits that are passed over
	}{
		"the ref deleted":               {func(d *desk, last git.ID) { gone(d) }, 0},
		"no move on top":                {func(d *desk, last git.ID) { set(d, none(d, string(last))) }, 1},
		"no move on top, deleted":       {func(d *desk, last git.ID) { set(d, none(d, string(last))); gone(d) }, 1},
		"a forged move on top, deleted": {func(d *desk, last git.ID) { d.tampered(last); gone(d) }, 1},
		"moves on top of a forged one": {func(d *desk, last git.ID) {
			d.store.Audit.rememberWritten(d.tampered(last))
			d.add("task-7")
			d.add("task-8")
			gone(d)
		}, 3},
		"two chains on top":          {func(d *desk, last git.ID) { d.tampered(last); set(d, none(d, string(last))); gone(d) }, 2},
		"merged into something else": {func(d *desk, last git.ID) { set(d, none(d, "main", string(last))); gone(d) }, 1},
		"on a branch, no move on top": {func(d *desk, last git.ID) {
			gittest.Git(d.t, d.dir, "branch", "other", string(none(d, string(last))))
			gone(d)
		}, 0},
		"set elsewhere, without a reflog": {func(d *desk, last git.ID) {
			set(d, d.at("refs/heads/main"))
			gittest.Git(d.t, d.dir, "reflog", "expire", "--expire=all", layout.State)
		}, 1},
		"forged on the first move, without a reflog": {func(d *desk, last git.ID) {
			root := git.ID(gittest.Git(d.t, d.dir, "rev-list", "--max-parents=0", string(last)))
			set(d, root)
			d.tampered(root)
			gittest.Git(d.t, d.dir, "reflog", "expire", "--expire=all", layout.State)
		}, 1},
		"repaired before, then deleted": {func(d *desk, last git.ID) {
			set(d, none(d, string(last)))
			_, err := d.store.Repairer.Repair(context.Background())
			require.NoError(d.t, err)
			gone(d)
		}, 0},
		"deleted, what the ref's reflog said is gone too": {func(d *desk, last git.ID) {
			set(d, none(d, string(last)))
			gone(d)
			gittest.Git(d.t, d.dir, "reflog", "expire", "--expire=all", "--all")
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
			d.add("task-1")
			d.claim("task-1", coder)
			// A commit of an agent and an ordinary commit that no ref leads to.
			d.commit(d.commit(d.at("refs/heads/main"), "stray", "x\n"), "stray", "y\n")
			last := d.do(d.released("task-1")).Commit
			c.spoil(d, last)
			d.store = d.open()
			was, _ := d.store.Repo.Refs.Resolve(ctx, layout.State)

			done, err := d.store.Repairer.Repair(ctx)
			require.NoError(t, err)
			require.Equal(t, []git.ID{was, last}, []git.ID{done.Was, done.Is})
			require.Equal(t, last, d.at(layout.State))
			require.Equal(t, c.kept, min(done.Count, 3), "%v", done.Dropped)
			require.Equal(t, c.kept > 0, len(done.Kept) > 0)
			gittest.Git(t, d.dir, "reflog", "expire", "--expire=all", "--all")
			gittest.Git(t, d.dir, "gc", "-q", "--prune=now")
			for _, id := range done.Kept {
				gittest.Git(t, d.dir, "cat-file", "-e", string(id))
			}
			d.store = d.open()
			d.sound()
			d.claim("task-1", coder)
		})
	}
}

// Where a remote holds the board, the chain that it has is the board's, though
// a longer one that was given up lies around.
func TestRepairOfALostStateGoesByTheRemote(t *testing.T) {
	t.Parallel()
	ctx, l := context.Background(), newLane(t)
	l.b.add("task-1")
	last := l.b.add("task-2").Commit
	require.Equal(t, last, l.b.at("refs/liza/remote/origin/state"))
	gittest.Git(t, l.b.dir, "config", "--unset", remoteKey)
	gittest.Git(t, l.b.dir, "update-ref", layout.State, string(last)+"~1")
	other := &desk{t: t, dir: l.b.dir, now: l.b.now}
	other.store = other.open()
	for _, id := range []board.TaskID{"task-5", "task-6", "task-7"} {
		other.add(id)
	}
	gittest.Git(t, l.b.dir, "update-ref", "-d", layout.State)
	gittest.Git(t, l.b.dir, "config", remoteKey, "origin")
	l.b.store = l.b.open()
	done, err := l.b.store.Repairer.Repair(ctx)
	require.NoError(t, err)
	require.Equal(t, last, done.Is)
}
