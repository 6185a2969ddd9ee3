package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// stepAt returns a move so many minutes after noon, with what it changed.
func stepAt(minute int, by board.Actor, id board.TaskID, detail flow.Detail, tasks ...gitstore.TaskStep) gitstore.Step {
	return gitstore.Step{Event: gitstore.Event{Move: flow.Move{At: noon.Add(time.Duration(minute) * time.Minute), By: by, Task: id, Detail: detail}}, Tasks: tasks}
}

// turnOf returns a task's way from one state to another in sprint-1 of goal-1.
func turnOf(id board.TaskID, from, to board.Status) gitstore.TaskStep {
	return gitstore.TaskStep{ID: id, From: from, To: to, Goal: "goal-1", Sprint: "sprint-1"}
}

// aCourse is how one task of two is planned, done, reviewed and merged within an hour.
func aCourse() []gitstore.Step {
	opened := stepAt(0, "human:ann", "", nil)
	opened.Sprints = []gitstore.SprintStep{{ID: "sprint-1", Goal: "goal-1", Status: board.InProgress, Started: noon, Deadline: noon.Add(2 * time.Hour)}}
	return []gitstore.Step{
		opened,
		stepAt(1, "planner-1", "", nil, turnOf("a", 0, board.Unclaimed), turnOf("b", 0, board.Draft)),
		stepAt(10, "coder-1", "a", &flow.ClaimMove{}, turnOf("a", board.Unclaimed, board.Claimed)),
		stepAt(30, "coder-1", "a", &flow.SubmitMove{Receipt: &board.Receipt{Gate: "verify", Duration: "2m0s", By: "coder-1"}}, turnOf("a", board.Claimed, board.ReadyForReview)),
		stepAt(31, "coder-1", "a", &flow.SessionMove{Outcome: "submitted", Usage: board.Usage{Seconds: 20 * 60}}),
		stepAt(40, "code-reviewer-1", "a", &flow.ReviewMove{}),
		stepAt(45, "code-reviewer-1", "a", &flow.ApproveMove{}, turnOf("a", board.ReadyForReview, board.Approved)),
		stepAt(46, "coder-1", "a", &flow.MergeMove{Receipts: []board.Receipt{{Gate: "test", Duration: "30s"}, {Gate: "lint", Duration: "what"}}}, turnOf("a", board.Approved, board.Merged)),
		stepAt(50, "coder-1", "", &flow.UnregisterMove{Agent: "coder-1"}),
	}
}

func timelineOf(steps ...gitstore.Step) *Timeline {
	t := NewTimeline()
	for _, s := range steps {
		t.Add(s)
	}
	return t
}

// said writes bars as KIND NAME WITH FROM-TO in minutes after noon.
func said(bars []Bar) string {
	var text strings.Builder
	for _, b := range bars {
		words := strings.Join(strings.Fields(b.Kind+" "+b.Name+" "+b.With), " ")
		end := fmt.Sprintf("%g", b.To.Sub(noon).Minutes())
		if b.Open {
			end += "…"
		}
		fmt.Fprintf(&text, "%s %g-%s\n", words, b.From.Sub(noon).Minutes(), end)
	}
	return text.String()
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	line := timelineOf(aCourse()...)
	all := Window{From: noon, To: noon.Add(time.Hour), Most: 9}
	require.Equal(t, `state UNCLAIMED 1-10
wait 1-10
state CLAIMED 10-30
claim coder-1 10-30
session submitted coder-1 11-31
gate verify coder-1 28-30
state READY_FOR_REVIEW 30-45
wait 30-40
review code-reviewer-1 40-45
state APPROVED 45-46
wait 45-46
gate test 45.5-46
state MERGED 46-46
gate lint 46-46
`, said(line.Task("a", all).Bars))
	agents := line.Agents(all)
	require.Equal(t, []string{"code-reviewer-1", "coder-1"}, []string{agents.Lanes[0].ID, agents.Lanes[1].ID})
	require.Equal(t, "review a 40-45\nwait 45-60…\n", said(agents.Lanes[0].Bars))
	require.Equal(t, "claim a 10-30\nsession submitted a 11-31\nwait 31-50\n", said(agents.Lanes[1].Bars))
	require.Equal(t, "state DRAFT 1-60…\nwait 1-60…\n", said(line.Task("b", all).Bars))

	lanes := line.Tasks(Window{From: noon.Add(20 * time.Minute), To: noon.Add(29 * time.Minute), Most: 1})
	require.Equal(t, 1, lanes.Left)
	require.Equal(t, "state CLAIMED 20-29…\nclaim coder-1 20-29…\nsession submitted coder-1 20-29…\ngate verify coder-1 28-29…\n", said(lanes.Lanes[0].Bars))
	require.Equal(t, "b", line.Tasks(Window{From: noon, To: noon.Add(time.Hour), Skip: 1, Most: 9}).Lanes[0].ID)
	require.Empty(t, line.Tasks(Window{From: noon, To: noon.Add(time.Hour), Goal: "goal-2", Most: 9}).Lanes)
	require.Empty(t, line.Tasks(Window{From: noon.Add(-time.Hour), To: noon, Most: 9}).Lanes, "as it was before")
	require.Empty(t, line.Task("c", all).Bars)
	_, last, idle := line.Span()
	require.Equal(t, 50*time.Minute, last.Sub(noon))
	require.False(t, idle)
	_, _, idle = NewTimeline().Span()
	require.True(t, idle)
}

// What is claimed or released anew ends what was held before.
func TestTimelineTakesOver(t *testing.T) {
	t.Parallel()
	line := timelineOf(
		stepAt(0, "planner-1", "", nil, turnOf("a", 0, board.Unclaimed)),
		stepAt(1, "coder-1", "a", &flow.ClaimMove{}, turnOf("a", board.Unclaimed, board.Claimed)),
		stepAt(5, "coder-2", "a", &flow.ClaimMove{}),
		stepAt(8, "coder-2", "a", &flow.SubmitMove{}, turnOf("a", board.Claimed, board.ReadyForReview)),
		stepAt(9, "code-reviewer-1", "a", &flow.ReviewMove{}), stepAt(9, "docs-reviewer-1", "a", &flow.ReviewMove{}),
		stepAt(11, "code-reviewer-1", "a", &flow.ReleaseMove{}), stepAt(12, "human:ann", "a", &flow.ReleaseMove{}),
	)
	require.Equal(t, `state UNCLAIMED 0-1
wait 0-1
state CLAIMED 1-8
claim coder-1 1-5
claim coder-2 5-8
state READY_FOR_REVIEW 8-20…
wait 8-9
review code-reviewer-1 9-11
review docs-reviewer-1 9-12
wait 12-20…
`, said(line.Task("a", Window{From: noon, To: noon.Add(20 * time.Minute)}).Bars))
}

// A clock that jumps, spans without sense and a session longer than the board leave no bar
// that ends before it begins.
func TestTimelineClock(t *testing.T) {
	t.Parallel()
	line := timelineOf(
		stepAt(10, "planner-1", "", nil, turnOf("a", 0, board.Unclaimed)),
		stepAt(2, "coder-1", "a", &flow.ClaimMove{}, turnOf("a", board.Unclaimed, board.Claimed)),
		stepAt(11, "coder-1", "a", &flow.SessionMove{Outcome: "lost", Usage: board.Usage{Seconds: 1 << 62}}),
		stepAt(12, "coder-1", "a", &flow.SessionMove{Outcome: "lost", Usage: board.Usage{Seconds: -5}}),
		stepAt(13, "coder-1", "a", &flow.SubmitMove{Receipt: &board.Receipt{Gate: "verify", Duration: "-3h"}}, turnOf("a", board.Claimed, board.ReadyForReview)),
		stepAt(14, "coder-1", "a", &flow.MergeMove{Receipts: []board.Receipt{{Gate: "x", Duration: "2000000h"}, {Gate: "y", Duration: "2000000h"}}}),
	)
	for _, to := range []int{0, 11, 100} {
		for _, b := range line.Task("a", Window{From: noon, To: noon.Add(time.Duration(to) * time.Minute)}).Bars {
			require.False(t, b.To.Before(b.From), "%+v", b)
			require.False(t, b.From.Before(noon.Add(10*time.Minute)), "%+v", b)
		}
	}
}

func TestTallies(t *testing.T) {
	t.Parallel()
	line := timelineOf(aCourse()...)
	list := line.Tallies("goal-1", noon, noon.Add(time.Hour), 5)
	states := []string{}
	for _, one := range list {
		states = append(states, fmt.Sprint(one.At.Sub(noon).Minutes(), one.States))
	}
	require.Equal(t, []string{"0 map[]", "15 map[CLAIMED:1 DRAFT:1]", "30 map[DRAFT:1 READY_FOR_REVIEW:1]", "45 map[APPROVED:1 DRAFT:1]", "60 map[DRAFT:1 MERGED:1]"}, states)
	require.Empty(t, line.Tallies("goal-2", noon, noon.Add(time.Hour), 2)[1].States)
	require.Empty(t, NewTimeline().Tallies("", noon, noon, 5))
	moved := timelineOf(append(aCourse(), stepAt(55, "human:ann", "", nil, gitstore.TaskStep{ID: "b", From: board.Draft, To: board.Draft, Goal: "goal-2", Sprint: "sprint-2"}))...)
	require.Equal(t, map[string]int{"MERGED": 1}, moved.Tallies("goal-1", noon, noon.Add(time.Hour), 2)[1].States)
}

func TestBurndowns(t *testing.T) {
	t.Parallel()
	closed := stepAt(50, "human:ann", "", nil, gitstore.TaskStep{ID: "b", From: board.Draft, To: board.Draft, Goal: "goal-1", Sprint: "sprint-2"})
	closed.Sprints = []gitstore.SprintStep{{ID: "sprint-1", Goal: "goal-1", Status: board.Completed, Started: noon, Ended: noon.Add(50 * time.Minute)}}
	opened := stepAt(52, "human:ann", "", nil)
	opened.Sprints = []gitstore.SprintStep{{ID: "sprint-2", Goal: "goal-1", Status: board.InProgress, Started: noon.Add(52 * time.Minute)}}
	stretch := turnOf("c", 0, board.Unclaimed)
	stretch.Stretch = true
	line := timelineOf(append(aCourse(), stepAt(49, "planner-1", "", nil, stretch), stepAt(50, "human:ann", "", nil, turnOf("d", 0, board.Abandoned)), closed, opened)...)
	list := line.Burndowns("goal-1", noon.Add(time.Hour))
	require.Len(t, list, 2)
	points := func(b Burndown) (all []string) {
		for _, p := range b.Points {
			all = append(all, fmt.Sprint(p.At.Sub(noon).Minutes(), " ", p.Open, "/", p.Planned))
		}
		return all
	}
	require.EqualValues(t, "sprint-2", list[0].Sprint)
	require.Equal(t, []string{"52 1/1", "60 1/1"}, points(list[0]))
	require.Nil(t, list[0].Ended)
	require.Equal(t, []string{"0 0/0", "1 2/2", "46 1/2", "50 1/3"}, points(list[1]), "what happened within the second of its end counts, and what is open at its end passes to the next sprint")
	require.NotNil(t, list[1].Ended)
	before := line.Burndowns("", noon.Add(20*time.Minute))
	require.Len(t, before, 1)
	require.Nil(t, before[0].Ended, "as it was then")
	require.Empty(t, line.Burndowns("goal-2", noon.Add(time.Hour)))
	require.Empty(t, NewTimeline().Burndowns("", noon))
}
