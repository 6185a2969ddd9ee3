package flow_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestCost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]board.Cost{
		"0": 0, "0.1325": 132_500, "25.00": 25_000_000, "25": 25_000_000, "0.000001": 1, "1000000000": 1e15,
	} {
		var c board.Cost
		require.NoError(t, c.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, c)
		again, err := c.MarshalText()
		require.NoError(t, err)
		var same board.Cost
		require.NoError(t, same.UnmarshalText(again))
		require.Equal(t, c, same)
	}
	require.Equal(t, "0.1325", board.Cost(132_500).String())
	require.Equal(t, "100", board.Cost(100e6).String())
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "0x1", "1.0000001", "1000000000.000001", "9999999999999999999999", "١"} {
		c := board.Cost(7)
		require.Error(t, c.UnmarshalText([]byte(text)), text)
		require.Equal(t, board.Cost(7), c)
	}
	_, err := board.Cost(-1).MarshalText()
	require.Error(t, err)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	one := board.Usage{Sessions: 1, Input: 100, Cached: 40, Output: 7, Cost: 5, Seconds: 9}
	require.Equal(t, board.Usage{Sessions: 2, Input: 200, Cached: 80, Output: 14, Cost: 10, Seconds: 18}, one.Plus(one))
	require.Equal(t, int64(67), one.Tokens())
	most := board.Usage{Sessions: math.MaxInt, Input: math.MaxInt64, Output: math.MaxInt64, Cost: math.MaxInt64, Seconds: math.MaxInt64}
	sum := most.Plus(most)
	require.Equal(t, board.Usage{Sessions: 1e9, Input: 1e18, Output: 1e18, Cost: 1e15, Seconds: 1e18}, sum, "the same on every machine")
	require.Equal(t, sum, sum.Plus(most))
	require.Equal(t, int64(1e18), sum.Tokens())
	_, err := sum.Cost.MarshalText()
	require.NoError(t, err)
}

// Providers may report any numbers and texts.
func TestBounded(t *testing.T) {
	t.Parallel()
	usual := board.Usage{Input: 100, Cached: 40, Output: 7, Cost: 5, Seconds: 9}
	require.Equal(t, usual, usual.Bounded())
	require.Equal(t, board.Usage{}, board.Usage{Sessions: -1, Input: -1, Cached: 4, Output: -7, Cost: -5, Seconds: -9}.Bounded())
	absurd := board.Usage{Sessions: 7, Input: math.MaxInt64, Cached: math.MaxInt64, Output: math.MaxInt64, Cost: math.MaxInt64, Seconds: math.MaxInt64}
	require.Equal(t, board.Usage{Sessions: 1, Input: 1e12, Cached: 1e12, Output: 1e12, Cost: 1e12, Seconds: 1e9}, absurd.Bounded())
}
