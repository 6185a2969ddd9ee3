package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/plan"
)

// A DryRun is what a rush would begin with, and how long what agents can do may take.
type DryRun struct {
	Agents  []FirstStep    `json:"agents"`
	Merges  []board.TaskID `json:"merges"` // approved, which the rush merges
	Goals   []GoalDryRun   `json:"goals"`
	Waiting []WaitGroup    `json:"waiting"` // after the first steps
	Budgets []string       `json:"budgets"` // what bounds the work

	waits []wait
}

// A FirstStep is what an agent of a rush would do first.
type FirstStep struct {
	Agent    board.AgentID `json:"agent"`
	Provider string        `json:"provider"`
	Does     string        `json:"does"` // answer, plan, claim, review or wait
	Task     board.TaskID  `json:"task"`
	Title    string        `json:"title"`
	Why      string        `json:"why"`  // it plans or waits
	Command  string        `json:"hint"` // ends the waiting, "" if none does
}

// A GoalDryRun is how long the work of a goal may take that agents can do without a
// person or a planner.
type GoalDryRun struct {
	Goal     board.GoalID   `json:"goal"`
	Tasks    int            `json:"tasks"`
	Kept     []board.TaskID `json:"kept"` // open ones that wait for a person or a planner, also by what they need
	Levels   []LevelDryRun  `json:"levels"`
	Work     int64          `json:"work_seconds"` // of all tasks
	Critical []board.TaskID `json:"critical"`     // the chain that takes longest
	Path     int64          `json:"path_seconds"` // of that chain
	Barrier  string         `json:"barrier"`
	Agents   int            `json:"agents"`  // that do tasks
	Seconds  int64          `json:"seconds"` // until the last one is done; 0 without agents
	Idle     int64          `json:"idle_seconds"`
}

// A LevelDryRun is how many tasks of a level agents can do.
type LevelDryRun struct {
	Level int    `json:"level"`
	Name  string `json:"name"`
	Tasks int    `json:"tasks"`
}

// GoalDryRunOf simulates how agents work off what they can do of a goal.
func GoalDryRunOf(b *board.Board, goal board.GoalID, agents int) GoalDryRun {
	barrier := board.BarrierOf(b, goal)
	graph := GraphOf(b, goal)
	p, kept := graph.workable()
	v := GoalDryRun{Goal: goal, Tasks: len(p.Tasks), Kept: kept, Levels: []LevelDryRun{}, Critical: []board.TaskID{}, Barrier: barrier.String(), Agents: agents}
	g, _ := plan.Link(p, nil)
	v.Work = g.Work()
	chain, seconds := g.Longest()
	v.Path = seconds
	v.Critical = append(v.Critical, lists.Of(chain, func(i int) board.TaskID { return p.Tasks[i].ID })...)
	counts := map[int]int{}
	for i := range p.Tasks {
		counts[g.Level(i)]++
	}
	for _, level := range g.Levels() {
		one := LevelDryRun{Level: level, Tasks: counts[level]}
		if i := slices.IndexFunc(graph.Levels, func(l Level) bool { return l.Number == level }); i >= 0 {
			one.Name = graph.Levels[i].Name
		}
		v.Levels = append(v.Levels, one)
	}
	if agents > 0 && len(p.Tasks) > 0 {
		run := g.Simulate(agents, barrier == board.LevelBarrier)
		v.Seconds, v.Idle = run.Makespan, run.Idle
	}
	return v
}

// workable returns the plan of the tasks on which agents can work, one after the other,
// without a person or a planner; what is submitted counts as done. kept are the others.
func (g *Graph) workable() (p *plan.Plan, kept []board.TaskID) {
	open := map[board.TaskID]*GraphNode{}
	for i := range g.Open() {
		open[g.Nodes[i].ID] = &g.Nodes[i]
	}
	known := map[board.TaskID]bool{}
	var isKept func(board.TaskID) bool
	isKept = func(id board.TaskID) bool {
		if is, looked := known[id]; looked {
			return is
		}
		n := open[id] // nil of a final one, which is in the way for good
		known[id] = n == nil || n.Status.NeedsPlanner() || slices.ContainsFunc(n.Waits, isKept)
		return known[id]
	}
	all, _ := g.Left()
	p, kept = &plan.Plan{Feature: all.Feature}, []board.TaskID{}
	left := map[board.TaskID]bool{}
	for _, t := range all.Tasks {
		if is := open[t.ID].Status; isKept(t.ID) {
			kept = append(kept, t.ID)
		} else if !flow.Allows(is, board.ActReview) && !flow.Allows(is, board.ActMerge) {
			p.Tasks, left[t.ID] = append(p.Tasks, t), true
		}
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		t.DependsOn = slices.DeleteFunc(slices.Clone(t.DependsOn), func(id board.TaskID) bool { return !left[id] })
	}
	return p, kept
}

// SetBoard says what the tasks of a goal, of all goals if it is "", wait for on a board,
// and what their budgets leave.
func (v *DryRun) SetBoard(r Reading, goal board.GoalID) {
	r.About, r.Only = goal, goal != ""
	status := NewPicture(r).Overview()
	v.Waiting, v.waits = status.Waiting, status.waits
	for _, one := range v.Goals {
		if spent := flow.CheckBudget(r.Board, one.Goal, ""); spent != nil {
			v.Budgets = append(v.Budgets, spent.Reason+": "+spent.Hint)
		} else if left, bound := flow.RemainingBudget(r.Board, one.Goal, ""); bound {
			v.Budgets = append(v.Budgets, fmt.Sprintf("%s: left %s", one.Goal, Amount(left)))
		}
	}
}

// Text formats the dry run for people. With width 0 nothing is cut.
func (v *DryRun) Text(width int) string {
	rows := [][]string{}
	last := ""
	for _, a := range v.Agents {
		text := a.Does + "s " + string(a.Task) + "  " + FirstLine(plaintext.Line(a.Title))
		if a.Task == "" {
			text = a.Does + "s: " + a.Why
		}
		if a.Command != "" && a.Command != last {
			text += "; " + a.Command
		}
		last = a.Command
		rows = append(rows, []string{string(a.Agent), a.Provider, text})
	}
	text := section("begins with", rows, width)
	var head Table
	if len(v.Merges) > 0 {
		head.Add("merges", JoinIDs(v.Merges[:min(len(v.Merges), glanceNames)]))
	}
	for _, g := range v.Goals {
		head.Add(string(g.Goal), g.line())
		if len(g.Levels) > 1 {
			head.Add("levels", g.levelLine())
		}
	}
	for _, line := range v.Budgets {
		head.Add("budget", line)
	}
	if len(head.Rows) > 0 {
		text += "\n" + headText(head, width)
	}
	return text + section("waiting then", waitRows(v.waits, v.Waiting), width)
}

// line is the goal for people.
func (g *GoalDryRun) line() string {
	var parts []string
	if g.Tasks > 0 {
		part := fmt.Sprintf("%s in %s, %s of work", Count(g.Tasks, "task"), Count(len(g.Levels), "level"), spanOf(g.Work))
		if g.Agents > 0 {
			part += fmt.Sprintf(", about %s with %s", spanOf(g.Seconds), Count(g.Agents, "agent"))
		} else {
			part += ", and no agent for it"
		}
		if g.Barrier == board.LevelBarrier.String() {
			part += ", level by level"
		}
		parts = append(parts, part, fmt.Sprintf("longest chain %s, %s", spanOf(g.Path), chainText(g.Critical)))
	}
	if len(g.Kept) > 0 {
		parts = append(parts, fmt.Sprintf("%d more %s for a planner or a person, such as %s", len(g.Kept), verb(len(g.Kept), "waits", "wait"), g.Kept[0]))
	}
	if len(parts) == 0 {
		return "no task for agents"
	}
	return strings.Join(parts, "; ")
}

// mostLevels is how many levels a line names.
const mostLevels = 8

// levelLine says how many tasks each level has.
func (g *GoalDryRun) levelLine() string {
	parts := lists.Of(g.Levels[:min(len(g.Levels), mostLevels)], func(l LevelDryRun) string {
		return fmt.Sprintf("%s (%d)", strings.TrimSpace(fmt.Sprintf("L%d %s", l.Level, plaintext.Line(l.Name))), l.Tasks)
	})
	if more := len(g.Levels) - mostLevels; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
