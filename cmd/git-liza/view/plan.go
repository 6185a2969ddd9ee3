package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/plan"
)

// A Plan is what a plan says before any of it is on a board: its levels, the chain that
// takes longest, and how long some numbers of agents need for it.
type Plan struct {
	Feature  string        `json:"feature"`
	Tasks    int           `json:"tasks"`
	Work     int64         `json:"work_seconds"` // of all tasks
	Levels   []PlanLevel   `json:"levels"`
	Critical []flow.TaskID `json:"critical"` // the chain that takes longest, in the order of work
	Seconds  int64         `json:"seconds"`  // of that chain
	Free     Schedule      `json:"free"`     // a task begins when what it needs is merged
	Barrier  Schedule      `json:"barrier"`  // no task begins before all of lower levels are merged

}

// A PlanLevel is the tasks of one level.
type PlanLevel struct {
	Level int        `json:"level"`
	Name  string     `json:"name"` // "" if it has none
	Tasks []PlanTask `json:"tasks"`
}

// A PlanTask is a task of a plan.
type PlanTask struct {
	ID       flow.TaskID   `json:"id"`
	Title    string        `json:"title"`
	Needs    []flow.TaskID `json:"needs"`
	Seconds  int64         `json:"seconds"`
	Critical bool          `json:"critical"` // part of the chain that takes longest
}

// A Schedule is what simulations of a plan with several numbers of agents found.
type Schedule struct {
	Runs   []plan.Run `json:"runs"`
	Paying int        `json:"paying"` // the fewest agents within 5 % of the best run: more do not pay
}

// PlanOf simulates a plan for some numbers of agents, at least one.
func PlanOf(p *plan.Plan, g *plan.Graph, agents []int) Plan {
	v := Plan{Feature: p.Feature, Tasks: len(p.Tasks), Work: g.Work(), Critical: []flow.TaskID{}}
	critical := map[int]bool{}
	chain, seconds := g.Longest()
	v.Seconds = seconds
	for _, i := range chain {
		critical[i] = true
		v.Critical = append(v.Critical, p.Tasks[i].ID)
	}
	place := map[int]int{}
	for n, level := range g.Levels() {
		place[level] = n
		v.Levels = append(v.Levels, PlanLevel{Level: level, Name: p.Names[level], Tasks: []PlanTask{}})
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		needs := []flow.TaskID{}
		for _, need := range g.Needs(i) {
			needs = append(needs, p.Tasks[need].ID)
		}
		level := &v.Levels[place[g.Level(i)]]
		level.Tasks = append(level.Tasks, PlanTask{t.ID, t.Title, needs, t.Seconds(), critical[i]})
	}
	for _, n := range agents {
		v.Free.Runs = append(v.Free.Runs, g.Simulate(n, false))
		v.Barrier.Runs = append(v.Barrier.Runs, g.Simulate(n, true))
	}
	v.Free.Paying, v.Barrier.Paying = plan.Paying(v.Free.Runs), plan.Paying(v.Barrier.Runs)
	return v
}

// Graph returns the plan as a graph to draw: its tasks are those of a board on which
// nobody has begun.
func (v *Plan) Graph() Graph {
	g := Graph{Title: v.Feature, Critical: v.Critical, Length: len(v.Critical), Seconds: &v.Seconds}
	for _, level := range v.Levels {
		for _, t := range level.Tasks {
			g.Nodes = append(g.Nodes, GraphNode{ID: t.ID, Title: t.Title, Status: flow.Unclaimed, Level: level.Level, Step: level.Level, Critical: t.Critical, Needs: t.Needs})
			for _, need := range t.Needs {
				g.Edges = append(g.Edges, GraphEdge{From: need, To: t.ID})
			}
		}
	}
	return g
}

// Text formats the plan for people. With width 0 nothing is cut.
func (v *Plan) Text(width int) string {
	var head Table
	if v.Feature != "" {
		head.Add("plan", v.Feature)
	}
	head.Add("tasks", fmt.Sprintf("%d in %s, %s of work", v.Tasks, Count(len(v.Levels), "level"), spanOf(v.Work)))
	ids := v.Critical[:min(len(v.Critical), glanceNames)]
	chain := strings.ReplaceAll(JoinIDs(ids), ", ", " → ")
	if len(ids) < len(v.Critical) {
		chain += " → …"
	}
	head.Add("path", fmt.Sprintf("%s, %s: * %s", Count(len(v.Critical), "task"), spanOf(v.Seconds), chain))
	text := headText(head, width)
	left := mostShown
	for _, level := range v.Levels {
		if left > 0 {
			text += "\n" + level.text(left, width)
		}
		left -= len(level.Tasks)
	}
	if left < 0 {
		text += fmt.Sprintf("\nand %d more: git liza plan show FILE --json\n", -left)
	}
	return text + "\n" + v.schedule(width)
}

func (l *PlanLevel) text(most, width int) string {
	rows := Table{}
	for _, t := range l.Tasks[:min(len(l.Tasks), most)] {
		mark := "   "
		if t.Critical {
			mark = " * "
		}
		after := ""
		if len(t.Needs) > 0 {
			after = "after " + string(t.Needs[0])
			if more := len(t.Needs) - 1; more > 0 {
				after += fmt.Sprintf(" +%d", more)
			}
		}
		rows.Add(mark+string(t.ID), spanOf(t.Seconds), after, FirstLine(t.Title))
	}
	return strings.TrimSpace(fmt.Sprintf("level %d  %s", l.Level, plaintext.Line(l.Name))) + "\n" + dropEmpty(rows).Text(width)
}

// schedule formats the simulations as a table.
func (v *Plan) schedule(width int) string {
	var rows Table
	rows.Add("agents", "takes", "idle", "level by level", "idle")
	for i, free := range v.Free.Runs {
		barrier := v.Barrier.Runs[i]
		rows.Add(strconv.Itoa(free.Agents), spanOf(free.Makespan), spanOf(free.Idle), spanOf(barrier.Makespan), spanOf(barrier.Idle))
	}
	text := rows.Text(width)
	if len(v.Free.Runs) > 1 {
		text += Wrapped(fmt.Sprintf("The fewest agents within 5 %% of the best time: %d, level by level %d.", v.Free.Paying, v.Barrier.Paying), width)
	}
	return text
}

// spanOf formats seconds, from an hour on to the minute. Sums of estimates can be more
// than a time.Duration holds.
func spanOf(seconds int64) string {
	minutes := (seconds + 30) / 60
	switch {
	case seconds < 60*60:
		return flow.Duration(time.Duration(seconds) * time.Second).String()
	case minutes%60 == 0:
		return fmt.Sprintf("%dh", minutes/60)
	}
	return fmt.Sprintf("%dh%dm", minutes/60, minutes%60)
}
