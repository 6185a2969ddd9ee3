package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/metrics"
	"github.com/git-liza/git-liza/flow"
)

// A status says how long the rest may take once ten tasks were merged, while somebody is
// at work, and as long as the clone has counted most of what was merged.
func TestETA(t *testing.T) {
	t.Parallel()
	b := boardOf(&flow.Goal{ID: "goal-1", Title: "G", Status: flow.InProgress, Merged: 11},
		&flow.Task{ID: "a", Status: flow.Unclaimed}, &flow.Task{ID: "b", Status: flow.Blocked}, &flow.Task{ID: "c", Status: flow.Claimed,
			Claim: &flow.Claim{By: "coder-1", Lease: noon.Add(time.Hour)}}, &flow.Task{ID: "d", Status: flow.Merged},
		&flow.Agent{ID: "coder-1", Role: flow.Coder, Task: "c"})
	pace := metrics.Pace{Goals: []metrics.GoalPace{{Merged: 10, Low: 600, Median: 3000, High: 6000}},
		Active: []metrics.Active{{By: "code-reviewer-1", At: noon.Unix() - 3000}, {By: "coder-9", At: noon.Unix() - 3600}}}
	status := func(at time.Time, p metrics.Pace) *Status {
		return NewPicture(Reading{Board: b, At: at, Local: Local{Pace: p}}).Status()
	}
	// Three tasks are open. coder-1 holds one, and code-reviewer-1 worked 50 minutes ago:
	// 3 × 600 / 2, 3 × 3000 / 2 and 3 × 6000 / 2 seconds.
	g := status(noon, pace)
	require.Equal(t, &ETA{Low: 900, Median: 4500, High: 9000, Tasks: 3, Agents: 2}, g.ETA)
	require.Contains(t, g.Text(0, func(s string) string { return s }), "1 of 4 merged, about 1h15m left (15m to 2h30m), 2 at work\n")
	require.Equal(t, 1, status(noon.Add(20*time.Minute), pace).ETA.Agents, "the review is more than an hour ago")
	require.Nil(t, status(noon.Add(2*time.Hour), pace).ETA, "the lease is over too: nobody is at work")

	few := pace
	few.Goals = []metrics.GoalPace{{Merged: 9, Median: 3000}}
	require.Nil(t, status(noon, few).ETA, "nine of eleven merged tasks are not most of them")
	require.Nil(t, status(noon, metrics.Pace{}).ETA)
}
