package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A report has a row for each story, by what those that have not passed failed, and the
// bounds.
func TestLoopReport(t *testing.T) {
	t.Parallel()
	g := &board.Goal{ID: "goal-2", Status: board.InProgress, Created: noon, Usage: board.Usage{Output: 70, Cost: 2_000_000},
		Loop: &board.Loop{Iterations: 4, Used: 2, Tokens: 100, Wall: board.Duration(time.Hour)}}
	report := LoopReport{Goal: g.ID, Path: "prd.json", Stories: []LoopStory{
		{ID: "US-1", Passed: true},
		{ID: "US-2", Task: "goal-2-2", Status: "MERGED", Passed: true, Commits: []board.ObjectID{"a", "b"}, Sessions: 1, Tokens: 70, Diffstat: "1 file changed"},
		{ID: "US-3\x1b", Task: "goal-2-3", Status: "BLOCKED", Sessions: 3, Failure: "make failed\nexit 2"},
		{ID: "US-4"},
	}, Limit: LoopLimitOf(g, noon.Add(90*time.Second))}
	require.Equal(t, []string{"US-3\x1b", "US-4"}, report.Left())
	lines := strings.Split(report.Text(0), "\n")
	cells := make([]string, len(lines))
	for i, line := range lines {
		cells[i] = strings.Join(strings.Fields(line), " ")
	}
	require.Equal(t, []string{
		"goal-2 prd.json 2 of 4 stories passed",
		"STORY STATE SESSIONS COMMITS TOKENS CHANGES",
		"US-1 had passed 0 0 0",
		"US-2 passed 1 2 70 1 file changed",
		`US-3^[ BLOCKED 3 0 unknown`,
		"US-4 not entered 0 0 0",
		`US-3^[: make failed`,
		"2 of 4 iterations, 70 of 100 tokens, 2 dollars, 1m30s of 1h",
		"",
	}, cells)
}

// Each bound that is reached is named, with the flag that lifts it above what is used.
func TestLoopBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		loop board.Loop
		flag string
	}{
		{board.Loop{Iterations: 3, Used: 2, Tokens: 100, Cost: 3_000_000, Wall: board.Duration(2 * time.Hour)}, ""},
		{board.Loop{Iterations: 3, Used: 3}, "--iterations 6"},
		{board.Loop{Iterations: 3, Tokens: 30}, "--tokens 140"},
		{board.Loop{Iterations: 3, Cost: 1_000_000}, "--cost 4"},
		{board.Loop{Iterations: 3, Wall: board.Duration(10 * time.Minute)}, "--wall 2h2m"},
	} {
		g := &board.Goal{ID: "goal-2", Status: board.InProgress, Created: noon, Usage: board.Usage{Output: 70, Cost: 2_000_000}, Loop: &test.loop}
		limit := LoopLimitOf(g, noon.Add(time.Hour))
		if test.flag == "" {
			require.Empty(t, limit.Reached)
			continue
		}
		require.Equal(t, test.flag, limit.Widened())
		require.Contains(t, limit.text(), "; the bound of "+limit.Reached+" is reached")
	}
	g := &board.Goal{ID: "goal-2", Status: board.Completed, Created: noon, Ended: noon.Add(time.Minute), Loop: &board.Loop{Iterations: 3}}
	require.Equal(t, board.Duration(time.Minute), LoopLimitOf(g, noon.Add(time.Hour)).WallUsed, "of a loop that has ended")
}
