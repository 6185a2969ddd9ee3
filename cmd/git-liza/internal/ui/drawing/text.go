package drawing

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// mostTitle is the greatest width of a title for Graphviz and Mermaid, in characters of a
// terminal.
const mostTitle = 60

// DOT returns the whole graph in the language of Graphviz.
func DOT(g view.Graph) string {
	var out strings.Builder
	out.WriteString("digraph liza {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		more := ""
		if n.Critical {
			more += ", penwidth=3"
		}
		if n.Status.Final() {
			more += ", style=dotted"
		}
		fmt.Fprintf(&out, "  %s [label=\"%s\\n%s\"%s];\n", dotString(string(n.ID)), dotEscape(string(n.ID)+" "+n.Status.String()), dotEscape(title(n)), more)
	}
	for _, e := range g.Edges {
		style := ""
		if e.Again {
			style = " [style=dashed, label=\"again\"]"
		}
		fmt.Fprintf(&out, "  %s -> %s%s;\n", dotString(string(e.From)), dotString(string(e.To)), style)
	}
	return out.String() + "}\n"
}

// title is the title of a task as these texts show it.
func title(n *view.GraphNode) string {
	return view.Cut(plaintext.Line(strings.ToValidUTF8(n.Named(), string(utf8.RuneError))), mostTitle)
}

func dotString(text string) string { return `"` + dotEscape(text) + `"` }

// dotEscape makes a text safe in a quoted string. Graphviz also reads HTML's entities there.
func dotEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\x00", "").Replace(plaintext.Line(text))
}

// Mermaid returns the graph in the language of Mermaid, which code hosts draw in Markdown.
// It has at most 300 tasks, open ones first, and 500 edges, which is what Mermaid draws, and
// says how many it leaves out.
func Mermaid(g view.Graph) string {
	nodes, edges := drawn(g)
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	place := map[board.TaskID]int{}
	for i := range nodes {
		n := &nodes[i]
		place[n.ID] = i
		class := ""
		switch {
		case n.Critical:
			class = ":::critical"
		case n.Status.Final():
			class = ":::final"
		}
		fmt.Fprintf(&out, "  n%d[\"%s<br/>%s\"]%s\n", i, mermaidEscape(string(n.ID)+" "+n.Status.String()), mermaidEscape(title(n)), class)
	}
	const mostEdges = 500
	for _, e := range edges[:min(len(edges), mostEdges)] {
		arrow := "-->"
		if e.Again {
			arrow = "-. again .->"
		}
		fmt.Fprintf(&out, "  n%d %s n%d\n", place[e.From], arrow, place[e.To])
	}
	if left := leftOut(g, len(g.Nodes)-len(nodes), len(edges)-mostEdges); left != "" {
		fmt.Fprintf(&out, "  more[\"%s\"]\n", mermaidEscape(left))
	}
	return out.String() + "  classDef critical stroke-width:4px\n  classDef final stroke-dasharray:3\n"
}

// mermaidEscape writes out as codes all that Mermaid, its Markdown and HTML give a meaning
// to.
func mermaidEscape(text string) string {
	var out strings.Builder
	for _, r := range plaintext.Line(text) {
		if r >= 0x80 || strings.ContainsRune(" -_.,?!/()", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			out.WriteRune(r)
			continue
		}
		fmt.Fprintf(&out, "#%d;", r)
	}
	return out.String()
}
