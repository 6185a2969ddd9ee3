package view

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// countsOf counts tasks of which each was claimed, rejected once, claimed again, failed its
// merge once, and was merged an hour after its first claim.
func countsOf(n int) *metrics.Counts {
	counts := &metrics.Counts{}
	for i := range n {
		id := board.TaskID(fmt.Sprintf("old-%d", i))
		begin := noon.Add(time.Duration(i) * 24 * time.Hour)
		for _, s := range []struct {
			minute   int
			from, to board.Status
			detail   flow.Detail
		}{{0, 0, board.Unclaimed, nil}, {100, board.Unclaimed, board.Claimed, &flow.ClaimMove{}}, {110, board.Claimed, board.ReadyForReview, &flow.SubmitMove{}},
			{120, board.ReadyForReview, board.Rejected, &flow.RejectMove{}}, {130, board.Rejected, board.Claimed, &flow.ClaimMove{}}, {140, board.Claimed, board.ReadyForReview, &flow.SubmitMove{}},
			{150, board.ReadyForReview, board.Approved, &flow.ApproveMove{}}, {155, board.Approved, board.IntegrationFailed, &flow.IntegrationFailMove{}}, {160, board.IntegrationFailed, board.Merged, nil}} {
			counts.Add(gitstore.Step{Event: gitstore.Event{Move: flow.Move{At: begin.Add(time.Duration(s.minute) * time.Minute), By: "coder-1", Task: id, Detail: s.detail}},
				Tasks: []gitstore.TaskStep{{ID: id, From: s.from, To: s.to, Goal: "goal-1"}}})
		}
	}
	return counts
}

// What happened to work on the paths of open tasks says how risky they are; archived tasks
// count too.
func TestRisksOfABoard(t *testing.T) {
	t.Parallel()
	var live, archived []*board.Task
	for i := range 10 {
		old := taskIn(board.TaskID(fmt.Sprintf("old-%d", i)), board.Merged)
		old.Kind, old.Estimate = board.Code, board.Duration(30*time.Minute)
		if old.Owns = []string{fmt.Sprintf("src/%d.go", i)}; i%2 == 0 {
			archived = append(archived, old)
			continue
		}
		live = append(live, old)
	}
	open := taskIn("next", board.Unclaimed)
	open.Estimate, open.Owns, open.Verify = board.Duration(time.Hour), []string{"src/4.go", "src/5.go"}, "make"
	b := graphBoard(append(live, open, taskIn("text", board.Unclaimed, "next")), archived...)
	records := RecordsOf(b, countsOf(10).Troubles())
	require.NoError(t, b.Err())
	g := GraphOf(b, "goal-1")
	g.Rate(records)
	require.Equal(t, []Risk{{"next", 6, 1, 0, 0, 1, 4}, {"text", 5, 0, 1, 3, 1, 0}}, g.Risks)
	require.Contains(t, g.Text(80), `
risk  task  files  depth  verify  estimate  history
6     next  1      0      0       1         4
5     text  0      1      3       1         0
`)
}
