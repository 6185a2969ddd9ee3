package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
)

// A Graph is the tasks of a board, of one goal, or of a plan that is on no board: with
// what they need, what stands in the way of the open ones, and how long they take.
type Graph struct {
	Goal     board.GoalID   `json:"goal"`         // "" for all goals, and of a file
	Title    string         `json:"title"`        // of the goal, or the feature of a file
	Work     int64          `json:"work_seconds"` // of all open tasks
	Levels   []Level        `json:"levels"`       // empty for several goals, and where levels mean nothing
	Counts   map[string]int `json:"counts"`       // of the nodes by state
	Critical []board.TaskID `json:"critical"`     // the longest chain of open tasks, in the order of work
	Length   int            `json:"length"`       // of that chain, in tasks
	Seconds  int64          `json:"seconds"`      // of work on that chain
	Free     *Schedule      `json:"free"`         // a task begins when what it needs is merged; null if nobody asked
	Barrier  *Schedule      `json:"barrier"`      // no task begins before all of lower levels are merged; null for several goals, too
	Risks    []Risk         `json:"risks"`        // of the open tasks, the riskiest first; null if nobody asked
	Blockers []Blocker      `json:"blockers"`     // those that keep most tasks waiting first
	Archived int            `json:"archived"`     // archived tasks of the board, of which only those are nodes that open tasks need
	Nodes    []GraphNode    `json:"nodes"`        // open ones first, by step
	Edges    []GraphEdge    `json:"edges"`

	file  bool // on no board
	timed bool // a task has an estimate
	plan  *plan.Plan
	left  *plan.Graph // of the open tasks, in order of creation
}

// A GraphNode is a task in a [Graph].
type GraphNode struct {
	ID       board.TaskID   `json:"id"`
	Title    string         `json:"title"`
	Status   board.Status   `json:"status"`
	Goal     board.GoalID   `json:"goal"`
	Role     board.Role     `json:"role"`
	Agent    board.Actor    `json:"agent"`    // that works on it or did so last
	Level    int            `json:"level"`    // that it has, else one more than that of the deepest task that it needs
	Seconds  int64          `json:"seconds"`  // its estimate, or the usual one
	Step     int            `json:"step"`     // of an open task: 1 if no other task is in its way, else one more than the last that is; 0 of a final one
	Critical bool           `json:"critical"` // part of the longest chain
	Needs    []board.TaskID `json:"needs"`    // the tasks that it depends on
	Waits    []board.TaskID `json:"waits"`    // of an open task: what has to be merged first, or stands in the way for good
	Holds    int            `json:"holds"`    // open tasks that wait for it, directly or not
	Archived bool           `json:"archived"`
	Reverted bool           `json:"reverted"`

	reason string           // why it is blocked
	order  int              // of its creation
	column int              // of drawings: 1 if no edge leads to it, else one more than the last that one comes from
	mark   int              // the level where lists show it, else 0
	part   int              // of the text: the level, 0 for the task of another goal, or the step
	input  *board.TaskInput // what is said of it that plans need
}

// Column is where a drawing has the task: to the right of those that it needs, from 1.
func (n *GraphNode) Column() int { return n.column }

// Named returns the title behind the level.
func (n *GraphNode) Named() string { return leveled(n.mark, n.Title) }

// A GraphEdge leads from a task to one that needs it, or from a reverted task to
// one that does its work again.
type GraphEdge struct {
	From  board.TaskID `json:"from"`
	To    board.TaskID `json:"to"`
	Met   bool         `json:"met"`   // the need counts as merged, or To is final
	Again bool         `json:"again"` // To does the work of From again
}

// A Blocker is a task that keeps others waiting and does not go on by itself: it is
// blocked or a draft, its merge failed, or it will never be merged.
type Blocker struct {
	Task    board.TaskID `json:"task"`
	Status  board.Status `json:"status"`
	Why     string       `json:"why"`
	Holds   int          `json:"holds"`
	Command string       `json:"command"` // that says what would change it
}

// GraphOf returns the graph of a goal's tasks and of what they wait for in other
// goals; of all tasks if the goal is "". Archived tasks are nodes only where open
// ones need them. It takes time that grows with the number of tasks and needs, and
// its errors are in [board.Board.Err].
func GraphOf(b *board.Board, goal board.GoalID) Graph {
	m := newGraphMaker(b, goal)
	m.addNeeds()
	m.connect()
	g := Graph{Goal: goal, Archived: len(b.IDs(board.Archive)), Nodes: m.nodes, Edges: m.edges, Levels: []Level{}}
	if goal != "" {
		g.Title = partOf(b.Goal(goal)).Title
	}
	only, one := g.onlyGoal()
	if one && laddersOf(b)[only].shown {
		g.Levels = Levels(b, only)
	}
	g.finish(only)
	return g
}

// finish finds what follows from nodes and edges. goal is the one that the levels are of.
func (g *Graph) finish(goal board.GoalID) {
	g.Counts, g.Blockers = map[string]int{}, []Blocker{}
	for i := range g.Nodes {
		g.Counts[g.Nodes[i].Status.String()]++
	}
	n := indexOf(g)
	n.findColumns(g.Edges)
	n.findSteps()
	n.countHolds()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.Level = cmp.Or(n.Level, n.column)
		switch {
		case len(g.Levels) == 0:
			n.part = n.Step
		case n.Goal == goal:
			n.part = n.Level
		}
	}
	g.findBlockers()
	g.sortNodes()
	g.link(goal)
}

// onlyGoal returns the goal of the graph, or that of all of its open tasks; false if
// they are of several.
func (g *Graph) onlyGoal() (only board.GoalID, one bool) {
	if g.Goal != "" {
		return g.Goal, true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Status.Final():
		case !one:
			only, one = n.Goal, true
		case n.Goal != only:
			return "", false
		}
	}
	return only, one
}

// A graphMaker collects the nodes of a graph and their edges.
type graphMaker struct {
	board *board.Board
	live  map[board.TaskID]*board.Summary
	order map[board.TaskID]int
	known map[board.TaskID]int // places of the nodes
	marks ladders
	nodes []GraphNode
	edges []GraphEdge
	met   map[board.TaskID]bool // whether a task that another one needs counts as merged
}

func newGraphMaker(b *board.Board, goal board.GoalID) *graphMaker {
	tasks := b.Tasks()
	m := &graphMaker{board: b, live: make(map[board.TaskID]*board.Summary, len(tasks)), order: make(map[board.TaskID]int, len(tasks)),
		known: make(map[board.TaskID]int, len(tasks)), met: map[board.TaskID]bool{}, edges: []GraphEdge{}, nodes: []GraphNode{}, marks: laddersOf(b)}
	for i := range tasks {
		m.live[tasks[i].ID], m.order[tasks[i].ID] = &tasks[i], i
	}
	for i := range tasks {
		if goal == "" || tasks[i].Goal == goal {
			m.add(&tasks[i], false)
		}
	}
	return m
}

func (m *graphMaker) add(t *board.Summary, archived bool) {
	if _, known := m.known[t.ID]; known {
		return
	}
	m.known[t.ID] = len(m.nodes)
	order, live := m.order[t.ID]
	if !live {
		order = -1 // archived tasks are older
	}
	needs := t.DependsOn
	if needs == nil {
		needs = []board.TaskID{}
	}
	m.nodes = append(m.nodes, GraphNode{ID: t.ID, Title: t.Title, Status: t.Status, Goal: t.Goal, Role: t.Role, Agent: t.Coder,
		Needs: needs, Waits: []board.TaskID{}, Archived: archived, Reverted: t.Reverted, reason: t.Reason, order: order,
		Level: t.Level, mark: m.marks.mark(t),
		input: &board.TaskInput{Kind: t.Kind, Role: t.Role, Priority: t.Priority, Estimate: t.Estimate, Owns: t.Owns, Verify: t.Verify}})
}

// find returns the summary of a task, live or archived; nil if there is none.
func (m *graphMaker) find(id board.TaskID) (s *board.Summary, archived bool) {
	if s := m.live[id]; s != nil {
		return s, false
	}
	t := m.board.Task(id)
	if t == nil {
		return nil, false
	}
	found := t.Summary()
	return &found, true
}

// addNeeds adds what open tasks wait for elsewhere, and what they need of the archive.
func (m *graphMaker) addNeeds() {
	for i := 0; i < len(m.nodes); i++ { // it grows
		if m.nodes[i].Status.Final() {
			continue
		}
		for _, id := range m.nodes[i].Needs {
			if _, known := m.known[id]; !known {
				if s, archived := m.find(id); s != nil {
					m.add(s, archived)
				}
			}
			m.nodes[i].Waits = lists.Add(m.nodes[i].Waits, m.waits(id)...)
		}
		for _, id := range m.nodes[i].Waits {
			if s, archived := m.find(id); s != nil {
				m.add(s, archived)
			}
		}
	}
}

// waits returns what has to be merged before a need counts as merged: the task itself,
// or what does the work of a final one again. It is the final one if nothing does.
func (m *graphMaker) waits(id board.TaskID) []board.TaskID {
	i, known := m.known[id]
	if !known {
		return nil
	}
	n := &m.nodes[i]
	if n.Status.IsMerged() && !n.Reverted {
		m.met[id] = true
		return nil
	}
	if !n.Status.Final() {
		return []board.TaskID{id}
	}
	t := m.board.Task(id)
	if t == nil || board.Stands(m.board, t) {
		m.met[id] = true
		return nil
	}
	if open := board.Outstanding(m.board, t); len(open) > 0 {
		return open
	}
	return []board.TaskID{id}
}

// connect draws the edges between nodes.
func (m *graphMaker) connect() {
	for i := range m.nodes {
		n := &m.nodes[i]
		for _, id := range n.Needs {
			j, known := m.known[id]
			if !known {
				continue
			}
			needed := &m.nodes[j]
			met := n.Status.Final() || m.met[id] || needed.Status.IsMerged() && !needed.Reverted
			m.edges = append(m.edges, GraphEdge{From: id, To: n.ID, Met: met})
		}
		if s := m.live[n.ID]; n.Reverted && s != nil {
			for _, id := range s.Successors {
				if j, known := m.known[id]; known {
					m.edges = append(m.edges, GraphEdge{From: n.ID, To: id, Met: m.nodes[j].Status.Final(), Again: true})
				}
			}
		}
	}
}

// findBlockers lists what keeps other tasks waiting and does not go on by itself.
func (g *Graph) findBlockers() {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Holds > 0 && (n.Status.Final() || n.Status.NeedsPlanner() || n.Status.IsStuck()) {
			g.Blockers = append(g.Blockers, Blocker{n.ID, n.Status, n.why(), n.Holds, "git liza show " + string(n.ID) + " --why"})
		}
	}
	slices.SortStableFunc(g.Blockers, func(x, y Blocker) int { return cmp.Compare(y.Holds, x.Holds) })
}

// why says why a task does not go on by itself.
func (n *GraphNode) why() string {
	switch {
	case n.Reverted:
		return "reverted, and nothing does its work again"
	case n.reason != "":
		return n.reason
	}
	return cmp.Or(unheldWords[n.Status], strings.ToLower(n.Status.String()))
}

// sortNodes puts open tasks first, by part, then step, then final ones; each in order of
// creation.
func (g *Graph) sortNodes() {
	slices.SortStableFunc(g.Nodes, func(x, y GraphNode) int {
		if x.Status.Final() != y.Status.Final() {
			return cmp.Compare(y.Step, x.Step) // only open tasks have one
		}
		if x.Status.Final() {
			return cmp.Compare(x.order, y.order)
		}
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.Step, y.Step), cmp.Compare(x.order, y.order))
	})
}

// Open returns the open tasks, those first that can be done first.
func (g *Graph) Open() []GraphNode {
	n, _ := slices.BinarySearchFunc(g.Nodes, true, func(n GraphNode, final bool) int {
		if n.Status.Final() == final {
			return 0
		}
		return -1
	})
	return g.Nodes[:n]
}
