package flow

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// However many texts and headings tasks stand on, a move can name what it has to,
// and the document of a path its sections.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	used := anchorSets{}
	for i := range 30_000 {
		used.add(fmt.Sprintf("specs/%05d.md#part", i))
	}
	for i := range 2 * board.MaxSections {
		used.add(fmt.Sprintf("a.md#%04d", i), fmt.Sprintf("b.md#%s%04d", strings.Repeat("long", 100), i))
	}
	list := used.queries(slices.Sorted(maps.Keys(used)), maxTexts)
	require.Less(t, len(list), 20_000)
	require.Equal(t, "a.md", list[0].Path)
	require.Len(t, list[0].Anchors, board.MaxSections)
	require.Equal(t, "0000", list[0].Anchors[0])
	require.Less(t, len(list[1].Anchors), board.MaxSections)
	total := 0
	for _, asked := range list {
		anchors := 0
		for _, anchor := range asked.Anchors {
			anchors += textSize + len(anchor)
		}
		require.LessOrEqual(t, anchors, maxAnchors)
		total += textSize + len(asked.Path) + anchors
	}
	require.LessOrEqual(t, total, maxTexts)
	require.Greater(t, total, maxTexts-maxAnchors)
	require.Equal(t, list, used.queries(slices.Sorted(maps.Keys(used)), maxTexts))

	// A merge looks among all of them for the paths that it changes.
	require.Len(t, used.queries(slices.Sorted(maps.Keys(used)), math.MaxInt), len(used))
}
