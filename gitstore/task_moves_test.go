package gitstore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The moves of a task are those that changed its document, whichever they name: after any
// state, up to the one that added it or until nobody wants more.
func TestTaskMoves(t *testing.T) {
	t.Parallel()
	d := eventful(t)
	h := d.open().history
	tip, err := h.Tip(context.Background())
	require.NoError(t, err)
	var chain []git.ID // newest first
	require.NoError(t, h.Log(tip, func(e Event) (bool, error) {
		chain = append(chain, e.Commit)
		return true, nil
	}))
	moves := func(id board.TaskID, after, to git.ID, most int) (list []git.ID) {
		require.NoError(t, h.TaskMoves(context.Background(), id, after, to, func(e Event) (bool, error) {
			list = append(list, e.Commit)
			return len(list) < most, nil
		}))
		return list
	}
	acts := map[board.TaskID][]board.Act{
		"first": {board.ActArchive, board.ActMerge},
		"two":   {board.ActAbandon, board.ActEdit, board.ActAdd},
		"four":  {board.ActComplete, board.ActRelease, board.ActClaim, board.ActSupersede},
	}
	for _, id := range []board.TaskID{"first", "one", "two", "three", "four"} {
		var want []git.ID
		for i, commit := range chain {
			is := blobOfTask(t, h, commit, id)
			if is != "" && (i == len(chain)-1 || is != blobOfTask(t, h, chain[i+1], id)) {
				want = append(want, commit)
			}
		}
		require.Equal(t, want, moves(id, "", tip, len(chain)), id)
		var did []board.Act
		for _, commit := range want {
			e, err := h.ReadEvent(commit)
			require.NoError(t, err)
			did = append(did, e.Move.Act)
		}
		require.Subset(t, did, acts[id], id)
		for n := range want {
			require.Equal(t, want[:n+1], moves(id, "", tip, n+1), "%s: no more than asked for", id)
		}
		for i, commit := range chain {
			after := slices.DeleteFunc(slices.Clone(want), func(c git.ID) bool { return slices.Index(chain, c) >= i })
			require.ElementsMatch(t, after, moves(id, commit, tip, len(chain)), id)
			until := slices.DeleteFunc(slices.Clone(want), func(c git.ID) bool { return slices.Index(chain, c) < i })
			require.ElementsMatch(t, until, moves(id, "", commit, len(chain)), id)
		}
	}
	require.Empty(t, moves("nobody", "", tip, 1))
	require.Error(t, h.TaskMoves(context.Background(), "one", "", git.ID(strings.Repeat("0", 40)), nil))
}

// blobOfTask tells apart what the document of a task is at states, "" if there is none.
func blobOfTask(t *testing.T, h *history, commit git.ID, id board.TaskID) git.ID {
	t.Helper()
	for _, path := range taskPaths(id) {
		blob, err := h.Repo.BlobAt(context.Background(), commit, path)
		require.NoError(t, err)
		if blob != "" {
			return git.ID(path + " " + string(blob))
		}
	}
	return ""
}
