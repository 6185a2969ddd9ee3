package view

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
)

// A Schedule is what simulations of the open tasks with several numbers of agents found.
type Schedule struct {
	Runs   []plan.Run `json:"runs"`
	Paying int        `json:"paying"` // the fewest agents within 5 % of the best run: more do not pay
}

// PlanOf returns the graph of a plan as if it were on a board on which nobody has begun.
func PlanOf(p *plan.Plan, linked *plan.Graph) Graph {
	g := Graph{Title: p.Feature, Nodes: make([]GraphNode, len(p.Tasks)), Edges: []GraphEdge{}, Levels: []Level{}, file: true}
	place := map[int]int{}
	for n, level := range linked.Levels() {
		place[level] = n
		g.Levels = append(g.Levels, Level{Number: level, Name: p.Names[level], Receipts: []any{}})
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		needs := []board.TaskID{}
		for _, need := range linked.Needs(i) {
			id := p.Tasks[need].ID
			needs = append(needs, id)
			g.Edges = append(g.Edges, GraphEdge{From: id, To: t.ID})
		}
		level := linked.Level(i)
		at := &g.Levels[place[level]]
		at.Tasks, at.Open = at.Tasks+1, at.Open+1
		g.Nodes[i] = GraphNode{ID: t.ID, Title: t.Title, Status: board.Unclaimed, Role: t.Role, Level: level, mark: level, Needs: needs, Waits: needs,
			order: i, input: &t.TaskInput}
	}
	g.finish("")
	return g
}

// link makes a plan of the open tasks, and finds its longest chain. goal is the one that
// the levels are of.
func (g *Graph) link(goal board.GoalID) {
	open := g.Open()
	byAge := make([]*GraphNode, len(open))
	place := make(map[board.TaskID]*GraphNode, len(open))
	for i := range open {
		byAge[i], place[open[i].ID] = &open[i], &open[i]
	}
	slices.SortStableFunc(byAge, func(x, y *GraphNode) int { return x.order - y.order })
	g.plan = &plan.Plan{Feature: g.Title, Tasks: make([]plan.Task, len(open))}
	for i, n := range byAge {
		t := &g.plan.Tasks[i]
		t.TaskInput = *n.input
		t.ID, t.DependsOn, t.Level = n.ID, nil, 0
		if n.Goal == goal {
			t.Level = n.Level
		}
		for _, id := range n.Waits {
			if place[id] != nil {
				t.DependsOn = append(t.DependsOn, id)
			}
		}
		n.Seconds = t.Seconds()
		g.timed = g.timed || t.Estimate != 0
	}
	g.left, _ = plan.Link(g.plan, nil) // a cycle, which no rule allows, is left out
	chain, seconds := g.left.Longest()
	g.Critical, g.Length, g.Seconds, g.Work = []board.TaskID{}, len(chain), seconds, g.left.Work()
	for _, i := range chain {
		byAge[i].Critical = true
		g.Critical = append(g.Critical, byAge[i].ID)
	}
}

// Left is the plan of the open tasks in order of creation, linked by what they wait for.
func (g *Graph) Left() (*plan.Plan, *plan.Graph) { return g.plan, g.left }

// Simulate simulates some numbers of agents, each at least one, that work off the open
// tasks.
func (g *Graph) Simulate(agents []int) {
	run := func(barrier bool) *Schedule {
		runs := lists.Of(agents, func(n int) plan.Run { return g.left.Simulate(n, barrier) })
		return &Schedule{Runs: runs, Paying: plan.Paying(runs)}
	}
	g.Free = run(false)
	if _, one := g.onlyGoal(); one || g.file {
		g.Barrier = run(true)
	}
}

// scheduleText formats the simulations as a table.
func (g *Graph) scheduleText(width int) string {
	if g.Free == nil || len(g.plan.Tasks) == 0 {
		return ""
	}
	var rows Table
	head := []string{"agents", "takes", "idle"}
	if g.Barrier != nil {
		head = append(head, "level by level", "idle")
	}
	rows.Add(head...)
	for i, free := range g.Free.Runs {
		row := []string{strconv.Itoa(free.Agents), spanOf(free.Makespan), spanOf(free.Idle)}
		if g.Barrier != nil {
			barrier := g.Barrier.Runs[i]
			row = append(row, spanOf(barrier.Makespan), spanOf(barrier.Idle))
		}
		rows.Add(row...)
	}
	text := "\n" + rows.Text(width)
	if len(g.Free.Runs) > 1 {
		said := fmt.Sprintf("The fewest agents within 5 %% of the best time: %d", g.Free.Paying)
		if g.Barrier != nil {
			said += fmt.Sprintf(", level by level %d", g.Barrier.Paying)
		}
		text += Wrapped(said+".", width)
	}
	return text
}
