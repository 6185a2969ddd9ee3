package drawing

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

// minute returns a time after noon.
func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

func someLanes() view.Lanes {
	return view.Lanes{From: minute(0), To: minute(60), Lanes: []view.Lane{
		{ID: "task-1", Bars: []view.Bar{
			{Kind: view.StateBar, Name: "UNCLAIMED", From: minute(1), To: minute(10)}, {Kind: view.WaitBar, From: minute(1), To: minute(10)},
			{Kind: view.StateBar, Name: "CLAIMED", From: minute(10), To: minute(30)}, {Kind: view.ClaimBar, With: "coder-1", From: minute(10), To: minute(30)},
			{Kind: view.SessionBar, Name: "submitted", With: "coder-1", From: minute(11), To: minute(30)}, {Kind: view.GateBar, Name: "verify", From: minute(28), To: minute(30)},
			{Kind: view.StateBar, Name: "READY_FOR_REVIEW", From: minute(30), To: minute(60), Open: true}, {Kind: view.ReviewBar, With: "code-reviewer-1", From: minute(40), To: minute(60), Open: true},
		}},
		{ID: "task-2", Bars: []view.Bar{{Kind: view.StateBar, Name: "MERGED", From: minute(50), To: minute(50)}}},
	}}
}

func link(id string) string { return "task/" + id }

func TestTimelines(t *testing.T) {
	t.Parallel()
	svg := Timeline(someLanes(), func(id string) string { return "Title of " + id }, link)
	golden(t, "timeline.svg", svg)
	checkSafe(t, svg)
}

// Whatever ids and titles are, and whatever clocks did, nothing leaves its place.
func TestHostileTimelines(t *testing.T) {
	t.Parallel()
	lanes := view.Lanes{From: minute(0), To: minute(60)}
	for i, text := range hostile {
		lanes.Lanes = append(lanes.Lanes, view.Lane{ID: fmt.Sprintf("task-%d", i), Bars: []view.Bar{
			{Kind: view.SessionBar, Name: text, With: text, From: minute(0), To: minute(60)}, {Kind: view.GateBar, Name: text, From: minute(-1000), To: minute(1000)},
			{Kind: view.ClaimBar, With: text, From: minute(30), To: minute(20)},
		}})
	}
	checkSafe(t, Timeline(lanes, func(id string) string { return hostile[len(id)] }, link))
	checkSafe(t, Timeline(view.Lanes{}, nil, nil))
	for _, span := range []time.Duration{0, time.Second, time.Hour, 40 * 24 * time.Hour, 250 * 365 * 24 * time.Hour, -time.Hour} {
		svg := Timeline(view.Lanes{From: noon, To: noon.Add(span), Lanes: someLanes().Lanes}, nil, nil)
		checkSafe(t, svg)
		require.Less(t, len(svg), 12_000, "%s", span)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	list := []view.Tally{{At: minute(0), States: map[string]int{}}, {At: minute(20), States: map[string]int{"UNCLAIMED": 4, "CLAIMED": 1}},
		{At: minute(40), States: map[string]int{"UNCLAIMED": 1, "CLAIMED": 2, "READY_FOR_REVIEW": 1, "MERGED": 1}}, {At: minute(60), States: map[string]int{"CLAIMED": 1, "BLOCKED": 1, "MERGED": 3}}}
	svg := States(list)
	golden(t, "states.svg", svg)
	checkSafe(t, svg)
	require.Contains(t, States(nil), "no task yet")
	checkSafe(t, States([]view.Tally{{At: noon, States: map[string]int{"MERGED": 1}}, {At: noon, States: map[string]int{"MERGED": 10_000}}}))
}

func TestBurndown(t *testing.T) {
	t.Parallel()
	deadline := minute(90)
	b := view.Burndown{Sprint: "sprint-1", Started: minute(0), Deadline: &deadline,
		Points: []view.BurnPoint{{At: minute(0)}, {At: minute(5), Planned: 5, Open: 5}, {At: minute(30), Planned: 5, Open: 3}, {At: minute(50), Planned: 6, Open: 2}, {At: minute(60), Planned: 6, Open: 2}}}
	svg := Burndown(b)
	golden(t, "burndown.svg", svg)
	checkSafe(t, svg)
	checkSafe(t, Burndown(view.Burndown{Sprint: board.SprintID("sprint-2"), Points: []view.BurnPoint{{At: noon}}}))
}
