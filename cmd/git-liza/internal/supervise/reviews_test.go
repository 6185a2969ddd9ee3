package supervise_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A review is given back, and before its checkout is cleared another reviewer of the same
// clone has taken it: that one's checkout and seal stay, and it has nothing of the first.
func TestReviewThatIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW", r.said())
	first, second := w.open(), w.open()
	require.NoError(t, first.Identify(t.Context(), "human:first", ""))
	require.NoError(t, second.Identify(t.Context(), "human:second", ""))
	got, _, err := first.Review(t.Context(), "task-1", flow.ReviewMove{})
	require.NoError(t, err)
	w.write(filepath.Join(got.Worktree, "left.txt"), "of the first\n")
	first.Store.Landed = func(ctx context.Context, r gitstore.Result) {
		if r.Move.Act != board.ActRelease {
			return
		}
		_, _, err := second.Review(ctx, "task-1", flow.ReviewMove{})
		require.NoError(t, err)
		w.write(filepath.Join(got.Worktree, "notes.txt"), "of the second\n")
	}
	_, err = first.Release(t.Context(), "task-1", flow.ReleaseMove{})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(got.Worktree, "left.txt"))
	require.FileExists(t, filepath.Join(got.Worktree, "notes.txt"))
	require.NoError(t, os.Remove(filepath.Join(got.Worktree, "notes.txt")))
	_, err = second.Verdict(t.Context(), board.ActApprove, "task-1", &flow.ApproveMove{Commit: got.Commit})
	require.NoError(t, err)
	require.NoDirExists(t, got.Worktree)
}
