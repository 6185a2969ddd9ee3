package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// Three hundred agents that join at once, or are told the same, are a few lines; what
// differs in words is said one by one.
func TestFloodIsGathered(t *testing.T) {
	t.Parallel()
	var said []string
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := speaker{now: func() time.Time { return noon }, tell: func(m Message) {
		require.Equal(t, noon, m.At)
		said = append(said, strings.TrimSpace(string(m.Task)+" "+m.Text))
	}}
	for i := range 300 {
		s.pass(Message{Kind: MoveMessage, Text: fmt.Sprintf("coder-%d joined", i+1)})
	}
	s.pass(Message{Kind: NeedMessage, Text: "mine is paused, no login"})
	for i := range 30 {
		s.pass(Message{Kind: MoveMessage, Task: board.TaskID(fmt.Sprintf("t%d", i)), Text: fmt.Sprintf("→ MERGED as 0cc8e4%04d by coder-%d", i, i)})
	}
	for i := range 3 {
		s.pass(Message{Kind: RemarkMessage, Text: fmt.Sprintf("coder-%d: nothing to do", i)})
	}
	s.pass(Message{Kind: OutputMessage, Agent: "coder-1", Text: "followed"})
	s.flush()
	require.Equal(t, "coder-1 joined", said[0], "as it came")
	require.Equal(t, []string{
		"followed",
		"coder-41 joined; likewise coder-42, coder-43, coder-44 and 256 more",
		"mine is paused, no login",
		"t0 → MERGED as 0cc8e40000 by coder-0; likewise t1, t2, t3 and 26 more",
		"coder-0: nothing to do", "coder-1: nothing to do", "coder-2: nothing to do",
	}, said[mostPerSecond:])
}

func TestTeamLine(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var team []gitstore.Presence
	add := func(id board.AgentID, doing string, task board.TaskID, since time.Duration, note string) {
		team = append(team, gitstore.Presence{Agent: id, Doing: doing, Task: task, Since: noon.Add(-since), Note: note})
	}
	add("coder-10", coding, "task-2", 200*time.Second, "session 1")
	add("coder-2", coding, "task-1", 40*time.Second, "session 3")
	add("code-reviewer-1", reviewing, "task-3", 90*time.Minute, "")
	add("planner-1", waiting, "", time.Minute, "")
	add("coder-3", paused, "", time.Minute, "mine: quota until 15:00")
	require.Equal(t, "coding: coder-2 (task-1 for 40s), coder-10 (task-2 for 3m); reviewing: code-reviewer-1 (task-3 for 1h30m); "+
		"paused (mine: quota until 15:00): coder-3; waiting: planner-1", teamText(team, noon))

	team = nil
	for i := range 300 {
		add(board.AgentID(fmt.Sprintf("coder-%d", i+1)), waiting, "", time.Minute, "")
	}
	require.Equal(t, "waiting: coder-1, coder-2, coder-3, coder-4 and 296 more", teamText(team, noon))
}
