package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
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
	var order []flow.AgentID
	for _, a := range BusyFirst(list) {
		order = append(order, a.ID)
	}
	require.Equal(t, []flow.AgentID{"coder-3", "planner-2", "coder-2", "coder-4", "planner-1", "coder-1"}, order)
	require.Equal(t, flow.AgentID("planner-1"), list[0].ID)
}
