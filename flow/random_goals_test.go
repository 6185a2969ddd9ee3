package flow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
)

// TestRandomGoals plays moves on several goals: what is used for one, and its sprints,
// never mix with those of another.
func TestRandomGoals(t *testing.T) {
	t.Parallel()
	accepted := map[board.Act]int{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gamble{rt: rt}
		g.scene = opened(rt)
		for _, step := range []string{"human:ann register planner-1 as=p", "human:ann register coder-1 as=c", "human:ann goal goal-2 priority=1",
			"human:ann add a in=goal-1", "human:ann add b in=goal-2"} {
			g.oneOfGoals(step)
		}
		for range pick(rt, 10, 30, 60) {
			g.now = g.now.Add(time.Duration(pick(rt, 0, 1, 2000)) * time.Second)
			g.oneOfGoals(g.stepOfGoals())
		}
		g.audit()
		g.replay()
		for _, m := range g.made {
			accepted[m.Act]++
		}
	})
	for _, act := range []board.Act{board.ActGoal, board.ActComplete, board.ActAbort, board.ActReopen, board.ActSprintStart, board.ActSprintClose, board.ActSession, board.ActAdd, board.ActConvert} {
		require.Positive(t, accepted[act], "no %s was ever accepted: %v", act, accepted)
	}
}

// oneOfGoals makes a move, and looks at all tasks if it was accepted.
func (g *gamble) oneOfGoals(step string) {
	m, facts := g.moveOf(strings.Fields(step))
	if g.judge(m, facts) == nil {
		g.made = append(g.made, m)
		g.apart()
	}
}

// stepOfGoals is a move on one of the goals or on a task of one.
func (g *gamble) stepOfGoals() string {
	rt := g.rt
	goal := pick(rt, g.board.IDs(board.Goals)...)
	task := pick(rt, append(g.board.IDs(board.Tasks), "zz")...)
	found := pick(rt, append(g.board.IDs(board.Discovered), "sprint-1/9")...)
	n := len(g.made)
	return pick(rt,
		fmt.Sprintf("human:ann goal g%d priority=%d", n, pick(rt, 1, 3, 5)),
		fmt.Sprintf("human:ann complete in=%s open=%s to=%s", goal, pick(rt, "keep", "abandon"), ""),
		fmt.Sprintf("human:ann complete in=%s open=move to=%s", goal, pick(rt, g.board.IDs(board.Goals)...)),
		fmt.Sprintf("human:ann abort in=%s", goal),
		fmt.Sprintf("human:ann reopen in=%s", goal), fmt.Sprintf("human:ann reopen in=%s", goal),
		fmt.Sprintf("human:ann add t%d in=%s", n, goal), fmt.Sprintf("human:ann add t%d in=%s +stretch", n, goal),
		fmt.Sprintf("human:ann sprint_close in=%s", goal), fmt.Sprintf("human:ann sprint_start in=%s", goal),
		fmt.Sprintf("human:ann sprint_start in=%s planned=%s", goal, task),
		fmt.Sprintf("planner-1 session in=%s used=output:%d", goal, n+1), fmt.Sprintf("coder-1 session %s used=output:%d", task, n+1),
		fmt.Sprintf("coder-1 claim %s", task), fmt.Sprintf("coder-1 release %s", task), fmt.Sprintf("human:ann abandon %s", task),
		fmt.Sprintf("human:ann archive %s", task),
		fmt.Sprintf("planner-1 discover in=%s", goal), fmt.Sprintf("human:ann convert %s c%d", found, n),
		fmt.Sprintf("planner-1 supersede %s s%d", task, n),
		"human:ann checkpoint", "human:ann decide CONTINUE", "human:ann resume")
}
