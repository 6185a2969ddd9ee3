package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Long changes of specs leave room in the document of a goal, since version 5 of the
// rules.
func TestChangesOfSpecsLeaveRoom(t *testing.T) {
	t.Parallel()
	for rules, kept := range map[int]int{4: MaxList, 5: 16} {
		s := openedUnder(t, rules)
		for n := range MaxList + 10 {
			change := strings.Repeat(string(rune('a'+n%26)), 4000)
			require.Nil(t, s.play(s.by("human:ann", ActSpecChange, "", &SpecChangeMove{Spec: vision, Change: change})))
		}
		list := s.board.Goal("goal-1").Changes
		require.Len(t, list, kept, "rules %d", rules)
		require.True(t, strings.HasPrefix(list[kept-1].Change, "h"), "the last one is there")
	}
}
