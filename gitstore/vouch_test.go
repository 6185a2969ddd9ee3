package gitstore

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Nothing is built on what does not replay, whatever the move is about.
func TestNoMoveOnATipThatDoesNotReplay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	d.add("task-2")
	good := d.at(layout.State)
	move := flow.Move{Act: board.ActPause, By: ann, Detail: &flow.PauseMove{Reason: "x"}}

	bad := d.tampered(good)
	_, err := d.try(move)
	var breach *Breach
	require.ErrorAs(t, err, &breach)
	require.Equal(t, bad, breach.Commit)
	require.Equal(t, bad, d.at(layout.State))
	require.ErrorContains(t, err, "state commit "+string(bad)+": its tree is not what its move makes")
	_, err = d.try(move)
	require.ErrorAs(t, err, &breach, "refused once, it is refused again")

	// A document that cannot be read is named, though the move is not about it.
	gittest.Git(t, d.dir, "update-ref", layout.State, string(good))
	d.became(d.edited(good, map[string]string{DocumentPath(board.Key{Folder: board.Tasks, ID: "task-1"}): "title: [\n"}))
	_, err = d.try(move)
	var malformed *document.Error
	require.ErrorAs(t, err, &malformed)
	require.Equal(t, "tasks/01/task-1.yaml", malformed.Name)

	done, err := d.store.Repairer.Repair(context.Background())
	require.NoError(t, err)
	require.Equal(t, good, done.Is)
	d.do(move)
}

// Moves of others are replayed once, back to a known one; moves that this clone
// wrote are not replayed.
func TestMovesOfOthersAreVerifiedOnce(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	require.Equal(t, d.at(layout.State), d.store.Audit.readKnown("written"))
	for _, forget := range []bool{false, true} {
		base := d.at(layout.State)
		middle := d.tampered(base)
		d.store.Audit.rememberWritten(middle)
		d.claim("task-1", coder) // as by another program, which did not look
		d.store.Audit.rememberWritten(base)
		if forget {
			require.NoError(t, os.Remove(d.store.statePath("written")))
		}
		d.store.Repo.Sound.Clear() // as in another process
		var breach *Breach
		require.ErrorAs(t, d.store.Audit.Vouch(ctx, d.at(layout.State)), &breach)
		require.Equal(t, middle, breach.Commit, "below the tip")
		gittest.Git(t, d.dir, "update-ref", layout.State, string(base))
	}
	tip := d.at(layout.State)
	require.NoError(t, d.store.Audit.Vouch(ctx, tip))
	require.Equal(t, tip, d.store.Audit.readKnown("written"), "not again")
	chain, err := d.store.Audit.listUnvouched(tip, func(id git.ID) bool { return id == tip })
	require.NoError(t, err)
	require.Empty(t, chain)
}

// The note of a written tip is never empty while others write it.
func TestNoteOfAWrittenTipIsNeverEmpty(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	start := d.at(layout.State)
	d.add("task-1")
	tips := []git.ID{start, d.at(layout.State)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 3000 {
			d.store.Audit.rememberWritten(tips[i%2])
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
			require.NotEmpty(t, d.store.Audit.readKnown("written"))
		}
	}
}

// If others made more moves than Vouch replays, it replays the last one alone.
func TestVouchIsBounded(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	gittest.Git(t, d.dir, "config", "liza.fsync", "none")
	start := d.at(layout.State)
	tip := d.tampered(start)
	c, err := d.store.objects.Commit(tip)
	require.NoError(t, err)
	for range vouchAtMost - 2 {
		tip, err = d.store.objects.WriteCommit([]byte(strings.Replace(string(c.Raw), string(start), string(tip), 1)))
		require.NoError(t, err)
	}
	require.NoError(t, d.store.objects.Flush())
	for _, tooMany := range []bool{false, true} {
		gittest.Git(t, d.dir, "update-ref", layout.State, string(tip))
		d.store.Audit.rememberWritten(tip) // as by another program, which did not look
		d.do(flow.Move{Act: board.ActNote, By: ann, Detail: &flow.NoteMove{For: "all", Text: "hello"}})
		d.store.Audit.rememberWritten(start)
		tip = d.at(layout.State)
		d.store.Repo.Sound.Clear() // as in another process
		err := d.store.Audit.Vouch(ctx, tip)
		if tooMany {
			require.NoError(t, err)
			require.Equal(t, tip, d.store.Audit.readKnown("written"))
			continue
		}
		require.ErrorAs(t, err, new(*Breach))
	}
	d.store.Audit.rememberWritten(start)
	bad := d.tampered(tip)
	var breach *Breach
	require.ErrorAs(t, d.store.Audit.Vouch(ctx, bad), &breach)
	require.Equal(t, bad, breach.Commit)
}
