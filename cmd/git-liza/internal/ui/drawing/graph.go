package drawing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// mostDrawn is the greatest number of tasks in a drawing, and in a text for Mermaid, which
// draws no more than 500 edges.
const mostDrawn = 300

// The boxes of tasks.
const (
	boxWidth  = 196
	boxHeight = 44
	boxPitch  = boxHeight + 14 // from a box to that below
	layer     = boxWidth + 60  // from a box to that beside it
	boxCells  = 27             // characters in a box
)

// Graph draws a graph from left to right: each task to the right of those that it needs.
// Tasks of the longest chain have a thick border. Tasks without needs stand below. At most
// 300 are drawn, open ones first.
func Graph(g view.Graph, p Place) string {
	l := newLayout(g)
	l.place()
	c := &canvas{}
	for _, e := range l.edges {
		c.edge(l.at[e.From], l.at[e.To], e)
	}
	for i := range l.nodes {
		c.box(&l.nodes[i], l.at[l.nodes[i].ID], p)
	}
	if left := leftOut(g, len(g.Nodes)-len(l.nodes), 0); left != "" {
		c.label(margin, c.height+24, "quiet", left)
	}
	if len(g.Nodes) == 0 {
		c.label(margin, 24, "quiet", "no task yet")
	}
	return c.svg(p, "Tasks and what they need", describe(g))
}

// describe says in a sentence what a graph shows.
func describe(g view.Graph) string {
	text := view.Count(len(g.Open()), "open task") + " of " + fmt.Sprint(len(g.Nodes))
	if g.Length > 0 {
		text += "; the longest chain is " + strings.ReplaceAll(view.JoinIDs(g.Critical), ", ", ", then ")
	}
	return text
}

// leftOut says how many tasks and arrows a drawing leaves out, and which command shows them;
// "" if it has all.
func leftOut(g view.Graph, tasks, arrows int) string {
	var parts []string
	if tasks > 0 {
		parts = append(parts, view.Count(tasks, "more task"))
	}
	if arrows > 0 {
		parts = append(parts, view.Count(arrows, "more arrow"))
	}
	if len(parts) == 0 {
		return ""
	}
	text := "and " + strings.Join(parts, ", ")
	if g.Goal == "" {
		return text + " (git liza graph GOAL has fewer, git liza graph --format dot has all)"
	}
	return fmt.Sprintf("%s (git liza graph %s --format dot has all)", text, g.Goal)
}

// A point is a place in a drawing.
type point struct{ x, y int }

// A layout has the tasks of a graph that are drawn, and the upper left corners of their boxes.
type layout struct {
	nodes []view.GraphNode
	edges []view.GraphEdge
	at    map[board.TaskID]point
}

func newLayout(g view.Graph) *layout {
	l := &layout{at: map[board.TaskID]point{}}
	l.nodes, l.edges = drawn(g)
	return l
}

// drawn returns the tasks that are drawn, with the edges between them: open ones, then those
// that open ones need, then the newest.
func drawn(g view.Graph) ([]view.GraphNode, []view.GraphEdge) {
	nodes := g.Nodes
	if len(nodes) > mostDrawn {
		open := g.Open()
		needed := map[board.TaskID]bool{}
		for _, n := range open[:min(len(open), mostDrawn)] {
			for _, id := range n.Needs {
				needed[id] = true
			}
		}
		final := slices.Clone(nodes[len(open):])
		slices.Reverse(final)
		slices.SortStableFunc(final, func(x, y view.GraphNode) int {
			switch {
			case needed[x.ID] == needed[y.ID]:
				return 0
			case needed[x.ID]:
				return -1
			}
			return 1
		})
		nodes = slices.Concat(open, final)[:mostDrawn]
	}
	known := lists.Set(nodes, func(n view.GraphNode) board.TaskID { return n.ID })
	return nodes, lists.Where(g.Edges, func(e view.GraphEdge) bool { return known[e.From] && known[e.To] && e.From != e.To })
}

// place finds a place for each box.
func (l *layout) place() {
	linked := map[board.TaskID]bool{}
	for _, e := range l.edges {
		linked[e.From], linked[e.To] = true, true
	}
	var levels []int
	layers := map[int][]board.TaskID{}
	var single []board.TaskID
	for i := range l.nodes {
		n := &l.nodes[i]
		if !linked[n.ID] {
			single = append(single, n.ID)
			continue
		}
		if layers[n.Column()] == nil {
			levels = append(levels, n.Column())
		}
		layers[n.Column()] = append(layers[n.Column()], n.ID)
	}
	slices.Sort(levels)
	columns := lists.Of(levels, func(level int) []board.TaskID { return layers[level] })
	l.untangle(columns)
	below := l.stack(columns)
	const least = 4 // columns of tasks without needs
	wide := max(len(columns), least)
	for i, id := range single {
		l.at[id] = point{margin + i%wide*layer, below + i/wide*boxPitch}
	}
}

// stack gives the columns their places, each in the middle of the height, and returns where
// the drawing goes on below.
func (l *layout) stack(columns [][]board.TaskID) (below int) {
	tallest := 0
	for _, column := range columns {
		tallest = max(tallest, len(column))
	}
	for x, column := range columns {
		top := margin + (tallest-len(column))*boxPitch/2
		for y, id := range column {
			l.at[id] = point{margin + x*layer, top + y*boxPitch}
		}
	}
	return margin + tallest*boxPitch
}

// untangle orders the tasks of each column by the mean place of their neighbours in the
// other columns, so that fewer edges cross.
func (l *layout) untangle(columns [][]board.TaskID) {
	near := map[board.TaskID][]board.TaskID{}
	for _, e := range l.edges {
		near[e.From], near[e.To] = append(near[e.From], e.To), append(near[e.To], e.From)
	}
	const rounds = 6
	for range rounds {
		height := map[board.TaskID]float64{}
		for _, column := range columns {
			for y, id := range column {
				height[id] = float64(y) - float64(len(column))/2
			}
		}
		for _, column := range columns {
			mean := map[board.TaskID]float64{}
			for _, id := range column {
				for _, other := range near[id] { // each has one
					mean[id] += height[other] / float64(len(near[id]))
				}
			}
			slices.SortStableFunc(column, func(x, y board.TaskID) int {
				switch {
				case mean[x] < mean[y]:
					return -1
				case mean[x] > mean[y]:
					return 1
				}
				return 0
			})
			for y, id := range column {
				height[id] = float64(y) - float64(len(column))/2
			}
		}
	}
}

// edge draws a need as a curve with an arrow.
func (c *canvas) edge(from, to point, e view.GraphEdge) {
	x1, y1, x2, y2 := from.x+boxWidth, from.y+boxHeight/2, to.x, to.y+boxHeight/2
	class := "edge"
	switch {
	case e.Again:
		class = "edge again"
	case e.Met:
		class = "edge met"
	}
	bend := max((x2-x1)/2, 24)
	c.print(`<path class="%s" d="M%d %dC%d %d %d %d %d %d"/>`, class, x1, y1, x1+bend, y1, x2-bend, y2, x2-6, y2)
	c.print(`<path class="arrow" d="M%d %dl-7 -4v8z"/>`, x2, y2)
}

// box draws a task.
func (c *canvas) box(n *view.GraphNode, at point, p Place) {
	link, class := "", "task"
	if p.Link != nil {
		link = p.Link(n.ID)
	}
	name := fmt.Sprintf("%s %s", n.ID, n.Status)
	if n.Critical {
		class, name = class+" critical", name+", of the longest chain"
	}
	if n.Holds > 0 {
		name += fmt.Sprintf(", %s for it", view.Count(n.Holds, "task waiting"))
	}
	c.open(class, name+": "+n.Title, link)
	c.rect(at.x, at.y, boxWidth, boxHeight, "box "+classOf(n.Status))
	state := n.Status.String()
	c.label(at.x+8, at.y+17, "id", view.Cut(string(n.ID), boxCells-len(state)))
	c.label(at.x+boxWidth-8, at.y+17, "state end", state)
	c.label(at.x+8, at.y+34, "name", view.Cut(plaintext.Line(n.Named()), boxCells))
	c.close(link)
}
