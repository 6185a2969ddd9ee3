package flow

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A goal remembers the last claims of as many principals as a list may have.
func TestPressureOfManyPrincipals(t *testing.T) {
	t.Parallel()
	s := opened(t)
	play := func(step string, values ...any) {
		step = fmt.Sprintf(step, values...)
		require.Empty(t, s.step(step, &record{}), step)
	}
	play("human:ann principal ann rights=admin")
	for n := range board.MaxList + 1 {
		play("human:ann@ann principal p%d kind=machine agents=coder-%[1]d", n+1)
		play("coder-%d@p%[1]d register coder-%[1]d", n+1)
		play("human:ann@ann add task-%d", n+1)
		play("coder-%d@p%[1]d claim task-%[1]d", n+1)
		play("coder-%d@p%[1]d session task-%[1]d outcome=failed error=a +ends", n+1)
	}
	list := s.board.Goal("goal-1").Pressure
	require.Len(t, list, board.MaxList)
	require.Equal(t, "p2", list[0].Principal)
}
