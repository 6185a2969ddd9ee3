package gitstore

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestReplayInParts replays a chain of several parts: the first of several breaches is
// found, whichever part ends first, and nothing is left out.
func TestReplayInParts(t *testing.T) {
	t.Parallel()
	const size = 20
	d := newDesk(t, gittest.Seeded(t))
	for i := range 3 * size {
		d.do(flow.Move{Act: board.ActNote, By: ann, Detail: &flow.NoteMove{Text: fmt.Sprint("word ", i), For: "all"}})
	}
	tip, err := d.store.Tip(t.Context())
	require.NoError(t, err)
	chain, breach := d.store.Audit.history.listChain(tip, "")
	require.Nil(t, breach)
	require.Greater(t, len(chain), 3*size)
	n, breach, err := d.store.Audit.replayEach(t.Context(), listedReplay(chain, size))
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Equal(t, len(chain), n)
	bad := git.ID(strings.Repeat("1", 40))
	for _, places := range [][]int{{0}, {len(chain) - 1}, {5, 45}, {size - 1, size}, {50, 30, 29}} {
		broken := slices.Clone(chain)
		for _, place := range places {
			broken[place] = bad[:39] + git.ID(fmt.Sprint(place%10))
		}
		n, breach, err := d.store.Audit.replayEach(t.Context(), listedReplay(broken, size))
		require.NoError(t, err)
		require.Equal(t, slices.Min(places), n)
		require.Equal(t, broken[n], breach.Commit)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = d.store.Audit.replayEach(ctx, listedReplay(chain, size))
	require.ErrorIs(t, err, context.Canceled)

	// One that is listed meanwhile has the same moves, from the newest on or after a known one.
	for _, known := range []int{-1, 30, len(chain) - 1} {
		r := &chainReplay{size: size, tip: tip}
		if known >= 0 {
			r.known = chain[known]
		}
		var mu sync.Mutex
		seen := map[int]git.ID{}
		r.each = func(place int, one Replay) error {
			mu.Lock()
			defer mu.Unlock()
			seen[place] = one.Commit
			return nil
		}
		n, breach, err = d.store.Audit.replayEach(t.Context(), r)
		require.NoError(t, err)
		require.Nil(t, breach)
		require.Equal(t, len(chain)-1-known, n)
		require.Len(t, seen, n)
		for place, id := range seen {
			require.Equal(t, chain[len(chain)-1-place], id)
		}
	}
	for _, made := range []func() *chainReplay{
		func() *chainReplay { return &chainReplay{size: size, tip: bad} }, // the list ends there
		func() *chainReplay { return listedReplay(append(slices.Clone(chain[:len(chain)-1]), bad), size) },
	} {
		r := made()
		before := len(r.chain)
		n, breach, err = d.store.Audit.replayEach(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, bad, breach.Commit)
		require.Equal(t, max(0, before-1), n)
	}

	n, breach, err = d.store.Audit.replayEach(t.Context(), listedReplay(nil, size))
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Zero(t, n)
	r := listedReplay(chain, size)
	r.done.Add(7)
	require.Equal(t, fmt.Sprintf("7 of %d moves replayed", len(chain)), r.progress())
}

// BenchmarkReplayChain replays a thousand moves on one core and on all.
func BenchmarkReplayChain(b *testing.B) {
	d := newDesk(b, gittest.Seeded(b))
	for i := range 4 * partMoves {
		d.do(flow.Move{Act: board.ActNote, By: ann, Detail: &flow.NoteMove{Text: fmt.Sprint("word ", i), For: "all"}})
	}
	tip, err := d.store.Tip(b.Context())
	require.NoError(b, err)
	chain, _ := d.store.Audit.history.listChain(tip, "")
	for _, cores := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprint("cores=", cores), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			for b.Loop() {
				_, breach, err := d.store.Audit.replayEach(b.Context(), listedReplay(chain, partMoves))
				require.NoError(b, err)
				require.Nil(b, breach)
			}
		})
	}
}
