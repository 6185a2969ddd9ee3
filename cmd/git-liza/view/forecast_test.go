package view

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// countsOf counts tasks of which each was claimed, rejected once, claimed again, failed its
// merge once, and was merged an hour after its first claim.
func countsOf(n int) *metrics.Counts {
	counts := &metrics.Counts{}
	for i := range n {
		id := flow.TaskID(fmt.Sprintf("old-%d", i))
		begin := noon.Add(time.Duration(i) * 24 * time.Hour)
		for _, s := range []struct {
			minute   int
			from, to flow.Status
			detail   flow.Detail
		}{{0, 0, flow.Unclaimed, nil}, {100, flow.Unclaimed, flow.Claimed, &flow.ClaimMove{}}, {110, flow.Claimed, flow.ReadyForReview, &flow.SubmitMove{}},
			{120, flow.ReadyForReview, flow.Rejected, &flow.RejectMove{}}, {130, flow.Rejected, flow.Claimed, &flow.ClaimMove{}}, {140, flow.Claimed, flow.ReadyForReview, &flow.SubmitMove{}},
			{150, flow.ReadyForReview, flow.Approved, &flow.ApproveMove{}}, {155, flow.Approved, flow.IntegrationFailed, &flow.IntegrationFailMove{}}, {160, flow.IntegrationFailed, flow.Merged, nil}} {
			counts.Add(gitstore.Step{Event: gitstore.Event{Move: flow.Move{At: begin.Add(time.Duration(s.minute) * time.Minute), By: "coder-1", Task: id, Detail: s.detail}},
				Tasks: []gitstore.TaskStep{{ID: id, From: s.from, To: s.to, Goal: "goal-1"}}})
		}
	}
	return counts
}

// What merged tasks took says how long open ones take, and what happened to work on their
// paths how risky they are; archived tasks count too.
func TestPastOfABoard(t *testing.T) {
	t.Parallel()
	var live, archived []*flow.Task
	for i := range 10 {
		old := taskIn(flow.TaskID(fmt.Sprintf("old-%d", i)), flow.Merged)
		old.Kind, old.Estimate = flow.Code, flow.Duration(30*time.Minute)
		if old.Owns = []string{fmt.Sprintf("src/%d.go", i)}; i%2 == 0 {
			archived = append(archived, old)
			continue
		}
		live = append(live, old)
	}
	open := taskIn("next", flow.Unclaimed)
	open.Estimate, open.Owns, open.Verify = flow.Duration(time.Hour), []string{"src/4.go", "src/5.go"}, "make"
	b := graphBoard(append(live, open, taskIn("text", flow.Unclaimed, "next")), archived...)
	past := PastOf(b, countsOf(10).Courses())
	require.NoError(t, b.Err())
	g := GraphOf(b, "goal-1")
	g.Rate(past)
	require.Equal(t, []Risk{{"next", 6, 1, 0, 0, 1, 4}, {"text", 5, 0, 1, 3, 1, 0}}, g.Risks)
	g.Foresee(past, []int{1, 2}, false)
	require.Equal(t, &Forecast{10, 10, []RatioRow{{"", "", 10, 200, 200, 200}, {"coder", "code", 10, 200, 200, 200}}, []ForecastOf{{1, 9000, 9000, 9000}, {2, 9000, 9000, 9000}}}, g.Forecast)
	require.Contains(t, g.Text(80), `
takes, in % of the estimate  tasks  P50    P80    P95
all                          10     200 %  200 %  200 %
coder, code                  10     200 %  200 %  200 %

agents  P50    P80    P95
1       2h30m  2h30m  2h30m
2       2h30m  2h30m  2h30m

risk  task  files  depth  verify  estimate  history
6     next  1      0      0       1         4
5     text  0      1      3       1         0
`)
	g.Foresee(PastOf(b, countsOf(9).Courses()), []int{1}, false)
	require.Contains(t, g.Text(80), "\nNo calibration: 9 tasks were merged by agents here, and it needs 10.")
	require.Empty(t, g.Forecast.Runs)
}
