package view

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// Dead agents come first, then those with a task, of which a planner alone says that it
// has one.
func TestBusyFirst(t *testing.T) {
	t.Parallel()
	plans := &Heartbeat{Presence: gitstore.Presence{Doing: "planning", Task: "t"}}
	list := []Agent{
		{ID: "planner-1", State: agentIdle}, {ID: "planner-2", State: agentIdle, Presence: plans}, {ID: "coder-1", State: agentIdle, Degraded: "IDLE too long"},
		{ID: "coder-2", State: agentWorking, Task: "t"}, {ID: "coder-3", State: agentIdle, Dead: 7}, {ID: "coder-4", State: agentWaiting, Task: "u"},
	}
	var order []board.AgentID
	for _, a := range BusyFirst(list) {
		order = append(order, a.ID)
	}
	require.Equal(t, []board.AgentID{"coder-3", "planner-2", "coder-2", "coder-4", "planner-1", "coder-1"}, order)
	require.Equal(t, board.AgentID("planner-1"), list[0].ID)
}

// What an agent does is what it says; what it does not say, the board does. A short line has
// the worst that is wrong with it.
func TestDoing(t *testing.T) {
	t.Parallel()
	says := func(doing, note string, task board.TaskID, ago time.Duration) *Heartbeat {
		return &Heartbeat{gitstore.Presence{Doing: doing, Note: note, Task: task, At: noon.Add(-ago), Since: noon.Add(-ago - time.Minute), Every: board.Duration(10 * time.Second),
			Host: "h", PID: 7, Provider: "claude", Usage: board.Usage{Input: 21_000, Cost: 1_305_000}}, noon}
	}
	for _, test := range []struct {
		agent Agent
		doing Doing
		line  string
		row   string
	}{
		{Agent{State: agentIdle}, Doing{"idle", "", ""}, "idle", ""},
		{Agent{State: agentWorking, Task: "t"}, Doing{"working", "t", ""}, "working t", ""},
		{Agent{State: agentWorking, Task: "t", Presence: says("coding", "session 1", "t", 0)}, Doing{"coding", "t", "session 1"}, "coding t", "coding for 1m (session 1), heard 0s ago"},
		{Agent{State: agentIdle, Presence: says("planning", "", "u", 0)}, Doing{"planning", "u", ""}, "planning u", "planning u for 1m, heard 0s ago"},
		{Agent{State: agentIdle, Presence: says(gitstore.Failing, "no key", "", 0)}, Doing{gitstore.Failing, "", "no key"}, gitstore.Failing + " no key", gitstore.Failing + " for 1m (no key), heard 0s ago"},
		{Agent{State: agentWorking, Task: "t", Presence: says("coding", "", "t", time.Minute)}, Doing{"coding", "t", ""}, "coding t silent", "silent for 1m, was coding"},
		{Agent{State: agentIdle, Degraded: "it lies", Presence: says("waiting", "it lies", "", 0)}, Doing{"waiting", "", ""}, "waiting rests: it lies", "rests: it lies, waiting for 1m, heard 0s ago"},
		{Agent{State: agentWorking, Task: "t", Dead: 7, Degraded: "it lies"}, Doing{"working", "t", ""}, "dead t", "process 7 of its supervisor is dead, rests: it lies"},
	} {
		require.Equal(t, test.doing, test.agent.Doing(), test.line)
		require.Equal(t, test.line, test.agent.Line(noon))
		require.Equal(t, test.row, test.agent.row(noon)[3], test.line)
	}
	coding := Agent{Presence: says("coding", "", "t", 0)}
	require.Equal(t, []string{"1m", "21k tok $1.30"}, []string{coding.Age(noon), coding.Spent()})
	require.Equal(t, "21000 tokens, 1.305 dollars so far, claude on h, process 7", coding.origin())
	require.Equal(t, "", Agent{}.Age(noon)+Agent{}.Spent()+Agent{}.origin()+Agent{}.Context()+coding.Context())
	text, err := json.Marshal(coding.Presence)
	require.NoError(t, err)
	require.Contains(t, string(text), `"context":null`, "what is not known is not 0")
	coding.Presence.Context = 63
	require.Equal(t, "ctx 63%", coding.Context())
	require.Equal(t, "coding t for 1m, ctx 63%, heard 0s ago", coding.row(noon)[3])
	text, err = json.Marshal(coding.Presence)
	require.NoError(t, err)
	require.Contains(t, string(text), `"context":63`)
}

// An amount names what it has.
func TestAmount(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1 token", Amount(board.Budget{Tokens: 1}))
	require.Equal(t, "2 tokens, 0.5 dollars", Amount(board.Budget{Tokens: 2, Cost: 500_000}))
	require.Equal(t, "", Amount(board.Budget{}))
	for n, text := range map[int64]string{0: "0", 9999: "9999", 10_000: "10k", 12_345_678: "12M", 9_999_000_000_000: "9999G"} {
		require.Equal(t, text, shortNumber(n))
	}
}

// The board says what was used as git liza metrics does, and nothing of nothing.
func TestUsedOfTheGoal(t *testing.T) {
	t.Parallel()
	used := func(u board.Usage) string {
		goal := *goalOne
		goal.Usage = u
		return NewPicture(Reading{Board: boardOf(&goal), At: noon, Person: flow.Caller{By: "human:ann"}}).Overview().Used()
	}
	require.Equal(t, "", used(board.Usage{}))
	require.Equal(t, "2 sessions, 30 tokens, unknown dollars, 1m", used(board.Usage{Sessions: 2, Input: 30, Seconds: 60}))
}

// Merged tasks of a goal are counted when they lie in the archive too.
func TestGoalsCountTheArchive(t *testing.T) {
	t.Parallel()
	goal := *goalOne
	goal.Added, goal.Merged = 4, 3
	rows := Goals(boardOf(&goal), []board.Summary{{ID: "left", Goal: goal.ID, Status: board.Unclaimed}}, "")
	require.Equal(t, "1 open, 3 merged, 3 archived", rows[0].counts())
}
