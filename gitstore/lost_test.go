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
)

// A state ref that is gone is told from a board that never was, and comes
// back.
func TestRepairOfALostState(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(d *desk){
		"without its reflog": func(d *desk) { git(t, d.dir, "update-ref", "-d", StateRef) },
		"with its reflog":    func(d *desk) { require.NoError(t, os.Remove(filepath.Join(d.dir, ".git", StateRef))) },
	} {
		ctx, d := context.Background(), newDesk(t, seeded(t))
		d.add("task-1")
		at := d.at(StateRef)
		// A move that lost its race lies around, and so does a commit that is none.
		draft := d.tampered(at)
		git(t, d.dir, "update-ref", StateRef, string(at))
		d.commit(d.at("refs/heads/main"), "stray", "x\n")
		last := d.claim("task-1", coder).Commit
		require.NotEqual(t, draft, last)
		lose(d)
		d.store = d.open()

		_, _, err := d.store.Board(ctx)
		require.ErrorIs(t, err, ErrStateLost, name)
		require.False(t, errors.Is(err, ErrNoBoard))
		require.ErrorContains(t, err, "refs/liza/marks/")
		_, err = d.try(flow.Move{Act: flow.ActPause, By: ann, Detail: &flow.PauseMove{Reason: "x"}})
		require.ErrorIs(t, err, ErrStateLost)
		_, err = d.try(d.initial(d.at("refs/heads/main")))
		require.ErrorIs(t, err, ErrStateLost, "and nobody begins anew beside it")

		done, err := d.store.Repair(ctx)
		require.NoError(t, err, name)
		require.Equal(t, Repaired{Is: last}, done, name)
		require.Equal(t, last, d.at(StateRef))
		require.NotEmpty(t, git(t, d.dir, "reflog", "show", StateRef))
		d.sound()
		d.do(d.released("task-1"))
	}
}

// Of several chains it is the one that the marks lie on.
func TestRepairOfALostStateGoesByItsMarks(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, seeded(t))
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
		git(t, d.dir, "update-ref", name, string(id))
	}
	done, err := d.store.Repair(ctx)
	require.NoError(t, err)
	require.Equal(t, last, done.Is)

	// Without marks, but with something saved, it is the longer one.
	d.forget()
	git(t, d.dir, "update-ref", "refs/liza/saved/task-1/1", "main")
	done, err = d.store.Repair(ctx)
	require.NoError(t, err)
	require.NotEqual(t, last, done.Is)
	require.NotNil(t, d.board().Task("task-2"))
}

// forget deletes all refs of the board.
func (d *desk) forget() {
	d.t.Helper()
	refs, err := d.store.Repo.Refs(context.Background(), "refs/liza")
	require.NoError(d.t, err)
	for name := range refs {
		git(d.t, d.dir, "update-ref", "-d", name)
	}
	git(d.t, d.dir, "update-ref", "-d", "refs/heads/integration")
	d.store = d.open()
}
