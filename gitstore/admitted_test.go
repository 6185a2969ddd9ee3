package gitstore

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/internal/gittest"
)

// The board was made by revision 236f646, and by hand where its
// program did not make it by itself. It holds what is not admitted any more: globs
// with hundreds of **, two links that lead out of the tree together and were
// merged, a name of 300 bytes, 9e11 tokens by an agent that never held the task,
// a committer of 3,000 bytes with an escape, and a move of the year 9999. All of
// it replays, and nothing of it is made anew.
func TestBoardsOfEarlierProgramsReplay(t *testing.T) {
	t.Parallel()
	bundle, err := filepath.Abs(filepath.Join("..", "testdata", "boards", "236f646-inadmissible.bundle"))
	require.NoError(t, err)
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "elsewhere")
	gittest.Git(t, dir, "fetch", "-q", bundle, "refs/*:refs/*")
	d := &desk{t: t, dir: dir, now: time.Date(9999, 12, 31, 23, 59, 0, 0, time.UTC)}
	d.store = d.open()
	ctx := context.Background()
	moves, breach, err := d.store.Audit.Fsck(ctx, true)
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Equal(t, 18, moves)

	tip, err := d.store.Tip(ctx)
	require.NoError(t, err)
	refused := map[flow.Rule]int{}
	require.NoError(t, d.store.Events(tip, func(e Event) (bool, error) {
		r, err := d.store.Audit.ReplayMove(ctx, e.Commit, true)
		require.NoError(t, err, e.Move.Subject())
		if CheckIdent(r.Committer) != nil {
			refused["committer"]++
		}
		if now := r.Before.Admissible(r.Move, r.Facts); now != nil {
			refused[now.Rule]++
		}
		return true, nil
	}))
	require.Equal(t, map[flow.Rule]int{"committer": 1, flow.RuleLimit: 1, flow.RuleContent: 2, flow.RuleHolder: 1}, refused)
	require.Greater(t, len(gittest.Git(t, dir, "log", "-1", "--format=%cn", "refs/liza/state~1")), 3000)
	require.True(t, strings.HasPrefix(gittest.Git(t, dir, "cat-file", "-p", "integration:leak"), "d/e/up/../etc"))
}
