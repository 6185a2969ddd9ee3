package lists

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLists(t *testing.T) {
	t.Parallel()
	list := []int{3, 1, 3, 2}
	isOdd := func(n int) bool { return n%2 == 1 }
	require.Equal(t, []string{"3", "1", "3", "2"}, Of(list, strconv.Itoa))
	require.Equal(t, []int{3, 1, 3}, Where(list, isOdd))
	require.Same(t, &list[3], Find(list, func(n int) bool { return n == 2 }))
	require.Equal(t, []int{3, 1, 2}, Add(nil, list...))
	require.Equal(t, 18, Sum(list, func(n int) int { return 2 * n }))
	require.Equal(t, map[string]bool{"3": true, "1": true, "2": true}, Set(list, strconv.Itoa))

	require.Nil(t, Of(nil, strconv.Itoa))
	require.Nil(t, Where([]int{2}, isOdd))
	require.Nil(t, Find([]int{2}, isOdd))
	require.Empty(t, Set(nil, strconv.Itoa))
	require.Zero(t, Sum(nil, func(n int) int { return n }))
}
