package work

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestToldOnce tells an agent things while it takes what it was told: each comes once.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	repo, err := git.Open(t.Context(), gittest.Seeded(t))
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	const tellers, each = 4, 100
	var all sync.WaitGroup
	for n := range tellers {
		all.Go(func() {
			for i := range each {
				if err := Tell(repo, "coder-1", ToldText(fmt.Sprintf("%d-%d", n, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	times := map[string]int{}
	take := func() {
		for _, one := range TakeTold(repo, board.AgentID("coder-1")) {
			times[one.Text]++
		}
	}
	for told := false; !told; {
		select {
		case <-over:
			told = true
		default:
		}
		take()
	}
	require.Len(t, times, tellers*each)
	for text, n := range times {
		require.Equal(t, 1, n, text)
	}
}
