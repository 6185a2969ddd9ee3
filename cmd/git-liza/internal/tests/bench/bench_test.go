package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/torture"
)

// TestMain lets the test binary be the processes that make moves as well.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "staying" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The tests of this package do not run side by side: a sample waits for all
// children of its process.

// smallBoard makes a board of 60 tasks, and 120 that are archived, to measure on.
func smallBoard(t *testing.T) (*bench, *clone) {
	b := &bench{ctx: t.Context(), dir: t.TempDir(), source: "../../../../..", scale: scale{live: 60, archived: 120, few: 10, list: 60, rounds: 1, together: 100 * time.Millisecond, row: 20, writers: []int{1, 2}}, boards: map[string]*clone{}}
	require.NoError(t, b.prepare())
	c, err := b.board(60, 120)
	require.NoError(t, err)
	return b, c
}

// TestMeasured holds what is measured on a small board against what it says it
// is.
func TestMeasured(t *testing.T) {
	b, c := smallBoard(t)

	t.Run("a generated board is valid", func(t *testing.T) {
		repo, err := git.Open(t.Context(), c.path)
		require.NoError(t, err)
		defer repo.Close()
		store := gitstore.OpenStore(t.Context(), repo, time.Now)
		board, _, err := store.Board(t.Context())
		require.NoError(t, err)
		require.NoError(t, flow.Check(board))
		require.Len(t, board.Tasks(), 60+benchTasks+1)
		archived, err := c.plain("ls-tree", "-r", "--name-only", "refs/liza/state", "archive/")
		require.NoError(t, err)
		require.Len(t, strings.Fields(archived), 120)
	})
	t.Run("the script changes what a claim changes", func(t *testing.T) {
		require.NoError(t, c.begin())
		d, err := c.draft(0)
		require.NoError(t, err)
		require.NoError(t, d.write())
		before, err := c.tip()
		require.NoError(t, err)
		_, err = c.again()
		require.NoError(t, err)
		_, err = b.sample(c.floor(0))
		require.NoError(t, err)
		claimed, err := c.plain("diff", "--name-only", before, "refs/liza/state~1")
		require.NoError(t, err)
		scripted, err := c.plain("diff", "--name-only", before, floorRef)
		require.NoError(t, err)
		require.Equal(t, "agents/01/coder-1.yaml\ntasks/01/bench-1.yaml", claimed)
		require.Equal(t, claimed, scripted)
		_, err = c.plain("fsck", "--strict")
		require.NoError(t, err)
	})
	t.Run("the script gives way to who was first", func(t *testing.T) {
		floor := c.floor(0)
		floor.args = append([]string{"sh", "-c", `git update-ref ` + floorRef + ` refs/liza/state && exec "$@"`, "sh"}, floor.args...)
		floor.args[len(floor.args)-1] = "/nowhere"
		_, err := b.sample(floor)
		require.Error(t, err)
		require.Equal(t, at(t, c, "refs/liza/state"), at(t, c, floorRef))
	})
}

// TestHistoryReplays holds that a history that is measured has as many moves as it says,
// which all replay.
func TestHistoryReplays(t *testing.T) {
	b := &bench{ctx: t.Context(), dir: t.TempDir(), source: "../../../../.."}
	require.NoError(t, b.prepare())
	c, err := b.history(300)
	require.NoError(t, err)
	said, err := b.output(c.liza("fsck", "--full", "--json"))
	require.NoError(t, err)
	require.Contains(t, said, `"breaches":[]`)
	require.Contains(t, said, `"replayed":300`)
	documents, err := c.plain("log", "--format=%T", "refs/liza/state")
	require.NoError(t, err)
	trees := map[string]bool{}
	for tree := range strings.FieldsSeq(documents) {
		trees[tree] = true
	}
	require.Len(t, trees, 300, "each move changes the board")
}

// TestTortureEveryRowIsMeasured takes minutes on a busy machine.
func TestTortureEveryRowIsMeasured(t *testing.T) {
	torture.OnlyThorough(t)
	b, _ := smallBoard(t)
	for _, measure := range []func() error{b.measureClaims, b.measureRow, b.measureArchives, b.measureLists, b.measureMoves, b.measureJudgements, b.measureStart} {
		require.NoError(t, measure())
	}
	for _, r := range b.table {
		require.NotEmpty(t, r.measured+r.ratio, r.what)
		if strings.HasSuffix(r.what, "failed or lost") {
			require.Equal(t, "0", r.measured)
		}
	}
	require.Greater(t, len(b.table), 20)
}

func at(t *testing.T, c *clone, ref string) string {
	t.Helper()
	id, err := c.plain("rev-parse", ref)
	require.NoError(t, err)
	return id
}

func TestSpread(t *testing.T) {
	require.Equal(t, spread{2, 1, 9}, spreadOf([]float64{9, 1, 2}))
	require.Equal(t, spread{3, 1, 9}, spreadOf([]float64{9, 4, 1, 2}))
	require.Equal(t, spread{}, spreadOf(nil))
}

func TestRowsAsJSON(t *testing.T) {
	b := &bench{}
	b.noteRatio("a claim", "ms", spread{3, 2, 4}, spread{4, 4, 4}, 0.75)
	b.noteBound("memory", "MiB", spread{65, 65, 65}, 64)
	out, err := json.Marshal(b.table)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"what": "a claim", "measured": "3.00 ms (2.00–4.00)", "floor": "4.00 ms (4.00–4.00)", "ratio": "0.75 ×", "budget": "≤ 0.75 ×", "verdict": "ok"},
		{"what": "memory", "measured": "65.0 MiB (65.0–65.0)", "budget": "≤ 64 MiB", "verdict": "over"}]`, string(out))
}

func TestLoad(t *testing.T) {
	l := load{moves: 10, seconds: 4, waits: []float64{5, 1, 4, 2, 3}, shares: []int{7, 3}}
	require.InDelta(t, 2.5, l.rate(), 0)
	require.InDelta(t, 60, l.least(), 0)
	require.InDelta(t, 4, l.p99(), 0)
	require.Zero(t, (&load{}).p99())
}
