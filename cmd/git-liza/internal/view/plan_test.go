package view

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
)

// Of a large plan the first tasks are shown, with how many more there are; estimates of
// many years are sums of seconds, not of nanoseconds.
func TestLargePlan(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{Names: map[int]string{1: "a\u202eb\nc"}, Tasks: make([]plan.Task, 60)}
	for i := range p.Tasks {
		p.Tasks[i].ID = board.TaskID(fmt.Sprintf("t%d", i))
		p.Tasks[i].Estimate = board.Duration(10 * 365 * 24 * time.Hour)
		if i > 55 {
			p.Tasks[i].DependsOn = []board.TaskID{p.Tasks[i-1].ID}
		}
	}
	g, faults := plan.Link(p, nil)
	require.Empty(t, faults)
	v := PlanOf(p, g)
	v.Simulate([]int{1, 60})
	require.EqualValues(t, 600*365*24*60*60, v.Free.Runs[0].Makespan)
	require.EqualValues(t, 60, v.Free.Paying)
	text := v.Text(60)
	require.Contains(t, text, "\nlevel 1  a<U+202E>b c\n")
	require.Contains(t, text, "\n   t49  87600h\n\nand 10 more open: git liza plan show --json\n")
	require.NotContains(t, text, "level 2")
	require.Contains(t, text, "\n1       5256000h  0s ")
	require.Len(t, v.Edges, 4)
}
