package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// Long changes of specs leave room in the document of a goal.
func TestChangesOfSpecsLeaveRoom(t *testing.T) {
	t.Parallel()
	const kept = 16
	s := opened(t)
	for n := range board.MaxList + 10 {
		change := strings.Repeat(string(rune('a'+n%26)), 4000)
		require.Nil(t, s.play(s.by("human:ann", board.ActSpecChange, "", &SpecChangeMove{Spec: vision, Change: change})))
	}
	list := s.board.Goal("goal-1").Changes
	require.Len(t, list, kept)
	require.True(t, strings.HasPrefix(list[kept-1].Change, "h"), "the last one is there")
}
