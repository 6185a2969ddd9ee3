package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// narrow is the width below which a graph shows no titles beside what a task waits for.
const narrow = 60

// Text formats the graph for people: what stands in the way, then the open tasks by level,
// or by step where levels mean nothing, then the simulations. With width 0 nothing is cut.
func (g *Graph) Text(width int) string {
	open := g.Open()
	text := headText(g.head(len(open), width), width)
	var rows Table
	shown := open[:min(len(open), mostShown)]
	for i := range shown {
		if i == 0 || shown[i].part != shown[i-1].part {
			rows.Add("")
			rows.Add(g.heading(shown[i].part))
		}
		rows.Add(g.row(&shown[i], width)...)
	}
	text += dropEmpty(rows).Text(width)
	if more := len(open) - mostShown; more > 0 {
		text += fmt.Sprintf("\nand %d more open: git liza plan show --json\n", more)
	}
	return text + g.scheduleText(width) + g.risksText(width)
}

// dropEmpty leaves out the columns that are empty in every row.
func dropEmpty(rows Table) *Table {
	var left Table
	widths := rows.columns()
	for _, row := range rows.Rows {
		last := len(row) - 1
		cells := []string{}
		for i, cell := range row[:last] {
			if widths[i] > 0 {
				cells = append(cells, cell)
			}
		}
		left.Add(append(cells, row[last])...)
	}
	return &left
}

// heading is what stands above a part of the open tasks.
func (g *Graph) heading(part int) string {
	if len(g.Levels) > 0 {
		for _, l := range g.Levels {
			if l.Number != part {
				continue
			}
			return strings.TrimSpace(fmt.Sprintf("level %d  %s", l.Number, plaintext.Line(l.Name)))
		}
		return "of other goals"
	}
	if part == 1 {
		return "no other task in the way"
	}
	return fmt.Sprintf("step %d", part)
}

// head says how many tasks are open, and what decides when the last one is merged.
func (g *Graph) head(open, width int) Table {
	var head Table
	switch {
	case g.Goal != "":
		head.Add("goal", strings.TrimSpace(string(g.Goal)+"  "+g.Title))
	case g.Title != "":
		head.Add("plan", g.Title)
	}
	head.Add("tasks", g.countsLine(open))
	if g.Length > 0 {
		head.Add("path", Count(g.Length, "task")+", "+spanOf(g.Seconds)+": * "+chainText(g.Critical))
	}
	for _, l := range g.Levels {
		if l.failed != nil {
			head.Add("failed", fmt.Sprintf("level %d: git liza goal show %s --level %d", l.Number, l.goal, l.Number))
		}
	}
	const most = 3
	for i, b := range g.Blockers {
		if i == most {
			head.Add("", fmt.Sprintf("and %d more in the way of others", len(g.Blockers)-most))
			break
		}
		label := ""
		if i == 0 {
			label = "stuck"
		}
		said := fmt.Sprintf("%s %s, %d %s for it", b.Task, b.Status, b.Holds, verb(b.Holds, "waits", "wait"))
		if width > 0 && width < narrow { // a command stays on one line
			head.Add(label, said)
			head.Add("", b.Command)
			continue
		}
		head.Add(label, said+": "+b.Command)
	}
	return head
}

// countsLine counts the tasks: open ones together, final ones by state.
func (g *Graph) countsLine(open int) string {
	if len(g.Nodes) == 0 && g.Archived == 0 {
		return "none yet"
	}
	first := fmt.Sprintf("%d open", open)
	if g.file {
		first = fmt.Sprint(open)
	}
	if len(g.Levels) > 0 {
		first += " in " + Count(len(lists.Where(g.Levels, func(l Level) bool { return l.Open > 0 })), "level")
	}
	parts := []string{first}
	if open > 0 {
		parts = append(parts, spanOf(g.Work)+" of work")
	}
	for _, status := range board.Statuses() {
		if n := g.Counts[status.String()]; n > 0 && status.Final() {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ToLower(status.String())))
		}
	}
	if g.Archived > 0 {
		parts = append(parts, fmt.Sprintf("%d archived", g.Archived))
	}
	return strings.Join(parts, ", ")
}

// chainText shows a chain of tasks, a long one by its beginning.
func chainText(chain []board.TaskID) string {
	shown := chain[:min(len(chain), glanceNames)]
	text := strings.ReplaceAll(JoinIDs(shown), ", ", " → ")
	if len(shown) < len(chain) {
		text += " → …"
	}
	return text
}

// row formats an open task: whether it is on the longest chain, its state, what it waits
// for, how many wait for it, and its title. Where there is no room for all of these the
// title gives way.
func (g *Graph) row(n *GraphNode, width int) []string {
	mark := "   "
	if n.Critical {
		mark = " * "
	}
	after, holds := "", ""
	if len(n.Waits) > 0 {
		after = "after " + string(n.Waits[0])
		if more := len(n.Waits) - 1; more > 0 {
			after += fmt.Sprintf(" +%d", more)
		}
	}
	if n.Holds > 0 {
		holds = "before " + fmt.Sprint(n.Holds)
	}
	title, status, takes := FirstLine(n.Title), n.Status.String(), ""
	if len(g.Levels) == 0 || n.part == 0 {
		title = leveled(n.mark, title)
	}
	if g.file {
		status = ""
	}
	if g.timed && (width == 0 || width >= narrow) {
		takes = spanOf(n.Seconds)
	}
	if n.reason != "" {
		title += " (" + FirstLine(n.reason) + ")"
	}
	row := []string{mark + string(n.ID), status, takes}
	if width == 0 || width >= narrow {
		return append(row, after, holds, title)
	}
	for _, last := range []string{after, holds, title} {
		if last != "" {
			return append(row, last)
		}
	}
	return append(row, "")
}
