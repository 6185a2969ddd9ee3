package supervise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// Of people and agents of two hosts that look at the same records one trips the circuit
// breaker. Who cannot says why, and does not try again with each look.
func TestOneTripsTheBreaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("record", "anomaly", "workaround", "--detail", "cause=the parser drops comments")
	w.liza("record", "anomaly", "workaround", "--detail", "cause=The parser drops comments.")
	w.share()
	far := w.host("far")
	look := func(c *work.Clone, tripper *work.Tripper, news bool) (*flow.TripMove, string, time.Time) {
		b, _, err := c.Store.Board(t.Context())
		require.NoError(t, err)
		return tripper.Look(t.Context(), b, news)
	}

	c := w.open()
	require.NoError(t, c.Identify(t.Context(), "coder-9", "0123456789abcdef"))
	stranger := work.NewTripper(c, "")
	left, _, again := look(c, stranger, true)
	require.Nil(t, left, "it tries")
	require.False(t, again.IsZero())
	stranger.Wait()
	for range 2 {
		left, why, again := look(c, stranger, false)
		require.Equal(t, "workaround_pattern", left.Pattern)
		require.Contains(t, why, "coder-9")
		require.Greater(t, time.Until(again), 50*time.Second)
	}
	left, why, again := look(c, work.NewTripper(c, "not here"), true)
	require.Equal(t, "workaround_pattern", left.Pattern)
	require.Equal(t, "not here", why)
	require.Zero(t, again)
	require.Empty(t, w.moves(board.ActTrip))

	trippers := map[*work.Tripper]*work.Clone{}
	for _, host := range []*world{w, far} {
		for _, by := range []board.Actor{"human:ann-example", "human:bob-example", "coder-1"} {
			c := host.open()
			require.NoError(t, c.Identify(t.Context(), by, ""))
			tripper := work.NewTripper(c, "")
			trippers[tripper] = c
			left, _, _ := look(c, tripper, true)
			require.Nil(t, left)
		}
	}
	for tripper, c := range trippers {
		tripper.Wait()
		left, why, _ := look(c, tripper, false)
		require.Nil(t, left, why)
	}
	far.agree()
	w.agree()
	require.Len(t, w.moves(board.ActTrip), 1)
	left, _, again = look(c, stranger, true)
	require.Nil(t, left)
	require.Zero(t, again)
}
