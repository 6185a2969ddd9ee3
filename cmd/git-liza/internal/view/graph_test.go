package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
)

// taskIn returns a task in a state that needs others.
func taskIn(id board.TaskID, status board.Status, needs ...board.TaskID) *board.Task {
	return &board.Task{ID: id, Title: "Do " + string(id), Status: status, Goal: "goal-1", DependsOn: needs}
}

// graphBoard holds tasks of any goal, and archived ones.
func graphBoard(live []*board.Task, archived ...*board.Task) *board.Board {
	return graphBoardOf(goalOne, live, archived...)
}

func graphBoardOf(goal *board.Goal, live []*board.Task, archived ...*board.Task) *board.Board {
	edits := []board.Edit{
		{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat, Goal: "goal-1", Config: board.DefaultConfig()}},
		{Key: board.Key{Folder: board.Goals, ID: "goal-1"}, Document: goal},
	}
	for i, t := range live {
		made := *t
		made.Created = noon.Add(time.Duration(i) * time.Second)
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(t.ID)}, Document: &made})
	}
	for _, t := range archived {
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Archive, ID: string(t.ID)}, Document: t})
	}
	return board.Open(board.Documents{}.With(edits), noon)
}

// nodeOf returns the node of a task.
func nodeOf(t *testing.T, g Graph, id board.TaskID) GraphNode {
	for _, n := range g.Nodes {
		if n.ID == id {
			return n
		}
	}
	require.FailNow(t, "no node", "%s", id)
	return GraphNode{}
}

type ids = []board.TaskID

func TestGraphOrder(t *testing.T) {
	t.Parallel()
	g := GraphOf(graphBoard([]*board.Task{
		taskIn("a", board.Merged), taskIn("b", board.Claimed, "a"), taskIn("c", board.Unclaimed, "b"), taskIn("d", board.Unclaimed, "b", "c"),
		taskIn("e", board.Blocked, "a"), taskIn("f", board.Unclaimed, "e"), taskIn("g", board.Superseded),
	}), "goal-1")
	order := ids{}
	for _, n := range g.Nodes {
		order = append(order, n.ID)
	}
	require.Equal(t, ids{"b", "e", "c", "f", "d", "a", "g"}, order, "open ones by step, then final ones")
	require.Equal(t, ids{"b", "c", "d"}, g.Critical)
	require.Equal(t, 3, g.Length)
	require.EqualValues(t, 45*60, g.Seconds)
	d := nodeOf(t, g, "d")
	require.Equal(t, []int{4, 3, 0}, []int{d.Column(), d.Step, d.Holds})
	require.Equal(t, ids{"b", "c"}, d.Waits)
	b := nodeOf(t, g, "b")
	require.Equal(t, []int{2, 1, 2}, []int{b.Column(), b.Step, b.Holds}, "d waits twice and counts once")
	require.Empty(t, b.Waits)
	require.Equal(t, []Blocker{{"e", board.Blocked, "blocked", 1, "git liza show e --why"}}, g.Blockers)
	require.Contains(t, g.Edges, GraphEdge{From: "a", To: "b", Met: true})
	require.Contains(t, g.Edges, GraphEdge{From: "b", To: "c"})
	require.Len(t, g.Open(), 5)
}

// What was archived, reverted, given up or is of another goal stands in the graph where an
// open task needs it.
func TestGraphNeedsElsewhere(t *testing.T) {
	t.Parallel()
	gone := taskIn("gone", board.Merged)
	gone.Reverted, gone.SupersededBy = &board.Reverted{By: "human:ann"}, ids{"again"}
	lost := taskIn("lost", board.Merged)
	lost.Reverted = &board.Reverted{By: "human:ann"}
	other := taskIn("other", board.Unclaimed, "base")
	other.Goal = "goal-2"
	base := taskIn("base", board.Claimed)
	base.Goal = "goal-2"
	aside := taskIn("aside", board.Unclaimed)
	aside.Goal = "goal-2"
	b := graphBoard([]*board.Task{gone, taskIn("again", board.Unclaimed), taskIn("needs-gone", board.Unclaimed, "gone"), taskIn("needs-old", board.Unclaimed, "old"),
		taskIn("needs-lost", board.Unclaimed, "lost"), taskIn("dropped", board.Abandoned), taskIn("needs-dropped", board.Unclaimed, "dropped"),
		other, base, aside, taskIn("needs-other", board.Unclaimed, "other")}, lost, taskIn("old", board.Merged), taskIn("older", board.Merged))
	g := GraphOf(b, "goal-1")
	require.NoError(t, b.Err())
	require.Equal(t, ids{"again"}, nodeOf(t, g, "needs-gone").Waits)
	require.Contains(t, g.Edges, GraphEdge{From: "gone", To: "again", Again: true})
	require.Equal(t, 2, nodeOf(t, g, "again").Level)
	require.Contains(t, g.Edges, GraphEdge{From: "gone", To: "needs-gone"})
	require.Empty(t, nodeOf(t, g, "needs-old").Waits)
	require.True(t, nodeOf(t, g, "old").Archived)
	require.Equal(t, ids{"lost"}, nodeOf(t, g, "needs-lost").Waits)
	require.Equal(t, 2, nodeOf(t, g, "needs-lost").Step, "nobody can begin it")
	require.Equal(t, ids{"dropped"}, nodeOf(t, g, "needs-dropped").Waits)
	require.Equal(t, ids{"base", "other", "needs-other"}, g.Critical, "through another goal")
	why := map[board.TaskID]string{}
	for _, blocker := range g.Blockers {
		why[blocker.Task] = blocker.Why
	}
	require.Equal(t, map[board.TaskID]string{"lost": "reverted, and nothing does its work again", "dropped": "abandoned"}, why)
	for _, n := range g.Nodes {
		require.NotContains(t, ids{"older", "aside"}, n.ID)
	}
	require.Equal(t, 3, g.Archived)
	require.Len(t, GraphOf(b, "").Nodes, 13)
}

// The longest chain is that of the most work by the estimates of the tasks.
func TestGraphEstimates(t *testing.T) {
	t.Parallel()
	long := taskIn("c", board.Unclaimed)
	long.Estimate = board.Duration(time.Hour)
	g := GraphOf(graphBoard([]*board.Task{taskIn("a", board.Unclaimed), taskIn("b", board.Unclaimed, "a"), long, taskIn("d", board.Merged)}), "goal-1")
	require.Equal(t, ids{"c"}, g.Critical)
	require.EqualValues(t, 3600, g.Seconds)
	require.EqualValues(t, 5400, g.Work, "what is merged takes no more")
	require.False(t, nodeOf(t, g, "a").Critical)
	require.EqualValues(t, 15*60, nodeOf(t, g, "a").Seconds)
	g.Simulate([]int{1, 2})
	require.Equal(t, []plan.Run{{Agents: 1, Makespan: 5400}, {Agents: 2, Makespan: 3600, Idle: 1800}}, g.Free.Runs)
	require.Contains(t, g.Text(80), "\n * c  UNCLAIMED  1h                      Do c\n")
	require.Contains(t, g.Text(80), "\nThe fewest agents within 5 % of the best time: 2, level by level 2.\n")
}

// Where levels mean something the open tasks stand by level, those of other goals before
// them; tasks of several goals have their levels beside their titles.
func TestGraphLevels(t *testing.T) {
	t.Parallel()
	at := func(level int, task *board.Task) *board.Task {
		task.Level = level
		return task
	}
	other := at(3, taskIn("other", board.Unclaimed))
	other.Goal = "goal-2"
	named := *goalOne
	named.Schedule = &board.Schedule{Barrier: board.LevelBarrier, Levels: []string{"Base", "Core"}}
	b := graphBoardOf(&named, []*board.Task{at(1, taskIn("a", board.Merged)), at(2, taskIn("b", board.Unclaimed)), at(2, taskIn("c", board.Unclaimed, "b")), at(3, taskIn("d", board.Unclaimed, "other")), other})
	g := GraphOf(b, "goal-1")
	g.Simulate([]int{2})
	require.Equal(t, `goal   goal-1  G
tasks  4 open in 2 levels, 1h of work, 1 merged
path   2 tasks, 30m: * b → c

of other goals
   other  UNCLAIMED               before 1  Do other

level 2  Core
 * b      UNCLAIMED               before 1  Do b
 * c      UNCLAIMED  after b                Do c

level 3
   d      UNCLAIMED  after other            Do d

agents  takes  idle  level by level  idle
2       30m    0s    1h              1h
`, g.Text(80))
	all := GraphOf(b, "")
	all.Simulate([]int{2})
	require.Nil(t, all.Barrier, "no barrier is one of two goals")
	require.Contains(t, all.Text(80), "  [L2] Do b\n")
}

// A cycle, which no rule allows, hangs nothing and hides nothing.
func TestGraphCycle(t *testing.T) {
	t.Parallel()
	g := GraphOf(graphBoard([]*board.Task{taskIn("a", board.Unclaimed, "b"), taskIn("b", board.Unclaimed, "a"), taskIn("c", board.Unclaimed, "b"), taskIn("d", board.Unclaimed, "d")}), "")
	require.Len(t, g.Nodes, 4)
	require.NotEmpty(t, g.Critical)
	require.Contains(t, g.Text(80), "c")
}

func TestGraphText(t *testing.T) {
	t.Parallel()
	ask := taskIn("e", board.Blocked, "a")
	ask.Block = &board.Block{Reason: "Table or list?"}
	g := GraphOf(graphBoard([]*board.Task{
		taskIn("a", board.Merged), taskIn("b", board.Claimed, "a"), taskIn("c", board.Unclaimed, "b"), taskIn("d", board.Unclaimed, "b", "c", "e"), ask,
	}), "goal-1")
	require.Equal(t, `goal   goal-1  G
tasks  4 open, 1h of work, 1 merged
path   3 tasks, 45m: * b → c → d
stuck  e BLOCKED, 1 waits for it: git liza show e --why

no other task in the way
 * b  CLAIMED                before 2  Do b
   e  BLOCKED                before 1  Do e (Table or list?)

step 2
 * c  UNCLAIMED  after b     before 1  Do c

step 3
 * d  UNCLAIMED  after b +2            Do d
`, g.Text(80))
	require.Equal(t, `goal   goal-1  G
tasks  4 open, 1h of work, 1 merged
path   3 tasks, 45m: * b → c → d
stuck  e BLOCKED, 1 waits for it
       git liza show e --why

no other task in the way
 * b  CLAIMED    before 2
   e  BLOCKED    before 1

step 2
 * c  UNCLAIMED  after b

step 3
 * d  UNCLAIMED  after b +2
`, g.Text(40))
}

func TestGraphOfNothing(t *testing.T) {
	t.Parallel()
	g := GraphOf(graphBoard(nil), "goal-1")
	raw, err := json.Marshal(g)
	require.NoError(t, err)
	require.JSONEq(t, `{"goal":"goal-1","title":"G","counts":{},"critical":[],"length":0,"seconds":0,"work_seconds":0,"levels":[],"free":null,"barrier":null,"risks":null,"blockers":[],"archived":0,"nodes":[],"edges":[]}`, string(raw))
	require.Equal(t, "goal   goal-1  G\ntasks  none yet\n", g.Text(80))
	g = GraphOf(graphBoard([]*board.Task{taskIn("a", board.Unclaimed)}), "")
	require.Equal(t, "tasks  1 open, 15m of work\npath   1 task, 15m: * a\n\nno other task in the way\n * a  UNCLAIMED  Do a\n", g.Text(80))
}

// manyTasks are tasks in chains of ten, of which the first half is merged.
func manyTasks(n int) []*board.Task {
	list := make([]*board.Task, n)
	for i := range list {
		t := taskIn(board.TaskID(fmt.Sprintf("task-%d", i+1)), board.Unclaimed)
		if i < n/2 {
			t.Status = board.Merged
		}
		if i%10 != 0 {
			t.DependsOn = ids{list[i-1].ID}
		}
		list[i] = t
	}
	return list
}

func TestGraphOfManyTasks(t *testing.T) {
	t.Parallel()
	b := graphBoard(manyTasks(10_000))
	g := GraphOf(b, "goal-1")
	require.Len(t, g.Nodes, 10_000)
	require.Len(t, g.Critical, 10)
	require.Equal(t, 9, nodeOf(t, g, "task-5001").Holds)
	text := g.Text(80)
	require.Contains(t, text, "5000 open, 1250h of work, 5000 merged")
	require.Contains(t, text, "and 4950 more open")
	require.Less(t, len(text), 8000)
}

// On random graphs the numbers are those that a slow count gives.
func TestRandomGraphs(t *testing.T) {
	t.Parallel()
	lots := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		tasks := []*board.Task{}
		for i := range 2 + lots.IntN(80) {
			task := taskIn(board.TaskID(fmt.Sprintf("task-%d", i)), []board.Status{board.Merged, board.Unclaimed, board.Unclaimed, board.Unclaimed, board.Blocked, board.Abandoned}[lots.IntN(6)])
			for range lots.IntN(3) {
				if i > 0 {
					task.DependsOn = lists.Add(task.DependsOn, tasks[lots.IntN(i)].ID)
				}
			}
			tasks = append(tasks, task)
		}
		lots.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
		g := GraphOf(graphBoard(tasks), "goal-1")
		nodes := map[board.TaskID]*GraphNode{}
		for i := range g.Nodes {
			nodes[g.Nodes[i].ID] = &g.Nodes[i]
		}
		holds, longest := map[board.TaskID]int{}, 0
		for _, n := range g.Open() {
			behind := map[board.TaskID]bool{}
			longest = max(longest, deepest(nodes, n.ID, behind))
			delete(behind, n.ID)
			for id := range behind {
				holds[id]++
			}
		}
		require.Equal(t, longest, g.Length)
		for id, n := range nodes {
			require.Equal(t, holds[id], n.Holds, "%s of %v", id, tasks)
		}
		for i := 1; i < len(g.Critical); i++ {
			require.Contains(t, nodes[g.Critical[i]].Waits, g.Critical[i-1])
		}
		for _, e := range g.Edges {
			require.Less(t, nodes[e.From].column, nodes[e.To].column)
		}
	}
}

// deepest returns the length of the longest chain of open tasks that ends with one, and notes
// what it waits for, directly or not.
func deepest(nodes map[board.TaskID]*GraphNode, id board.TaskID, behind map[board.TaskID]bool) int {
	behind[id] = true
	if nodes[id].Status.Final() {
		return 0
	}
	most := 0
	for _, before := range nodes[id].Waits {
		most = max(most, deepest(nodes, before, behind))
	}
	return most + 1
}

// What git liza plan show does with a board of 10,000 open tasks.
func BenchmarkGraphOf10000(b *testing.B) {
	tasks := manyTasks(20_000)
	board := graphBoard(tasks[10_000:])
	agents := []int{1, 2, 4, 8}
	b.Run("show", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			g := GraphOf(board, "goal-1")
			g.Simulate(agents)
			g.Text(80)
		}
	})
	g := GraphOf(board, "goal-1")
	b.Run("risk", func(b *testing.B) {
		for b.Loop() {
			g.Rate(nil)
		}
	})
}
