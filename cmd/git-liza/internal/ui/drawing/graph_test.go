package drawing

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

var update = flag.Bool("update", false, "write the golden files")

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile("testdata/"+name, []byte(text), 0o666))
	}
	want, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// boardOf holds tasks of goal-1.
func boardOf(tasks ...*board.Task) *board.Board {
	edits := []board.Edit{{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat, Goal: "goal-1", Config: board.DefaultConfig()}}}
	for i, task := range tasks {
		task.Created, task.Goal = noon.Add(time.Duration(i)*time.Second), "goal-1"
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(task.ID)}, Document: task})
	}
	return board.Open(board.Documents{}.With(edits), noon)
}

func taskOf(id board.TaskID, title string, status board.Status, needs ...board.TaskID) *board.Task {
	return &board.Task{ID: id, Title: title, Status: status, DependsOn: needs}
}

func someGraph() view.Graph {
	undone := taskOf("task-5", "Round to cents", board.Merged, "task-1")
	undone.Reverted, undone.SupersededBy = &board.Reverted{By: "human:ann"}, []board.TaskID{"task-6"}
	return view.GraphOf(boardOf(taskOf("task-1", "Read amounts", board.Merged), taskOf("task-2", "Add amounts", board.Claimed, "task-1"),
		taskOf("task-3", "Table or list?", board.Blocked, "task-1"), taskOf("task-4", "Print a table, with the sum in the last row", board.Unclaimed, "task-2", "task-3"),
		undone, taskOf("task-6", "Round to cents again", board.Unclaimed, "task-1"), taskOf("task-7", "Say hello", board.ReadyForReview)), "goal-1")
}

func TestGraphs(t *testing.T) {
	t.Parallel()
	g := someGraph()
	golden(t, "graph.svg", Graph(g, Place{Alone: true}))
	golden(t, "graph-page.svg", Graph(g, Place{Link: func(id board.TaskID) string { return "task/" + string(id) }}))
	golden(t, "graph.dot", DOT(g))
	golden(t, "graph.mermaid", Mermaid(g))
}

// hostile are titles that mean something to a language of drawings, to a browser or to a
// terminal.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</text></svg><svg onload="alert(1)">`, `'];n1["owned"]`, `"]; attacker["x`,
	`\" -> "owned`, `\`, `\\"`, `" URL="javascript:alert(1)`, `%%{init: {"securityLevel":"loose"}}%%`, "`**bold**`", `#quot;`, `&quot;&lt;b&gt;`, `end`,
	`click n0 "javascript:alert(1)"`, "one\ntwo\r\n%% three", "\x1b[31mred\x1b[0m", "\u202eright to left", "\x00\x01\x7f\u0085", "\ufffe\uffff", "bad \xff\xfe bytes", "\u2028line",
	`javascript:alert(1)`, `{{ . }}`, `${x}`, `]]>`, `<!--`, `<![CDATA[`, `&#0;`, `<b>`, strings.Repeat("long", 1000), "表格还是列表", "👩‍💻👍🏽", "é̃̂", "", "   ", `- item`, `1. item`, `|a|b|`, `graph LR; a-->b`, `style n0 fill:#f00`, `:::critical`, `@{ shape: rect }`,
}

// elements reads a drawing as a browser reads XML, and returns the names of its elements and
// all attributes.
func elements(t *testing.T, svg string) (names map[string]int, attributes map[string][]string, text string) {
	t.Helper()
	names, attributes = map[string]int{}, map[string][]string{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return names, attributes, text
		}
		require.NoError(t, err, svg)
		switch e := token.(type) {
		case xml.StartElement:
			names[e.Name.Local]++
			for _, a := range e.Attr {
				attributes[a.Name.Local] = append(attributes[a.Name.Local], a.Value)
			}
		case xml.CharData:
			text += string(e)
		}
	}
}

// dotLine is a line of a graph in DOT as it may be, whatever the titles are.
var dotLine = regexp.MustCompile(`^(digraph liza \{|  rankdir=LR;|  node \[shape=box, fontname="sans-serif"\];|  "(\\.|[^"\\])*" \[label="(\\.|[^"\\])*"(, penwidth=3)?(, style=dotted)?\];|  "(\\.|[^"\\])*" -> "(\\.|[^"\\])*"( \[style=dashed, label="again"\])?;|\})$`)

// mermaidLine is the same for Mermaid.
var mermaidLine = regexp.MustCompile(`^(flowchart LR|  n\d+\["([\w .,?!/()-]|[^\x00-\x7f]|#\d+;)*<br/>([\w .,?!/()-]|[^\x00-\x7f]|#\d+;)*"\](:::critical|:::final)?|  n\d+ (-->|-\. again \.->) n\d+|  more\["and \d+ more tasks"\]|  classDef critical stroke-width:4px|  classDef final stroke-dasharray:3)$`)

// Whatever the titles are, they stay titles.
func TestHostileTitles(t *testing.T) {
	t.Parallel()
	tasks := []*board.Task{}
	for i, title := range hostile {
		task := taskOf(board.TaskID(fmt.Sprintf("task-%d", i+1)), title, board.Unclaimed)
		if i%3 == 1 {
			task.DependsOn = []board.TaskID{tasks[i-1].ID}
		}
		tasks = append(tasks, task)
	}
	g := view.GraphOf(boardOf(tasks...), "goal-1")
	require.Len(t, g.Nodes, len(hostile))
	for _, p := range []Place{{Alone: true}, {Link: func(id board.TaskID) string { return "task/" + string(id) }}} {
		checkSafe(t, Graph(g, p))
	}
	for line := range strings.Lines(DOT(g)) {
		require.Regexp(t, dotLine, strings.TrimSuffix(line, "\n"))
	}
	for line := range strings.Lines(Mermaid(g)) {
		require.Regexp(t, mermaidLine, strings.TrimSuffix(line, "\n"))
	}
}

// checkSafe holds a drawing against what a strict policy allows.
func checkSafe(t *testing.T, svg string) {
	t.Helper()
	names, attributes, text := elements(t, svg)
	for name := range names {
		require.Contains(t, []string{"svg", "style", "desc", "g", "a", "title", "rect", "line", "path", "polyline", "text"}, name)
	}
	for name, values := range attributes {
		require.Contains(t, []string{"xmlns", "class", "role", "aria-label", "width", "height", "viewBox", "x", "y", "x1", "x2", "y1", "y2", "d", "points", "href"}, name)
		if name == "href" {
			for _, value := range values {
				require.Regexp(t, `^task/`, value)
			}
		}
	}
	for _, r := range text {
		require.False(t, r < ' ' && r != '\n' || r == 0x7f || r == 0x202e || r == 0x2028 || r == 0xfffe, "%q", r)
	}
}

func TestGraphsOfNothing(t *testing.T) {
	t.Parallel()
	g := view.GraphOf(boardOf(), "")
	require.Contains(t, Graph(g, Place{Alone: true}), "no task yet")
	require.Equal(t, "digraph liza {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n}\n", DOT(g))
	require.True(t, strings.HasPrefix(Mermaid(g), "flowchart LR\n  classDef"))
	checkSafe(t, Graph(view.GraphOf(boardOf(taskOf("task-1", "One", board.Unclaimed)), ""), Place{}))
}

// Of very many tasks the open ones are drawn, and the rest is a number.
func TestGraphOfManyTasks(t *testing.T) {
	t.Parallel()
	var tasks []*board.Task
	for i := range 10_000 {
		task := taskOf(board.TaskID(fmt.Sprintf("task-%d", i+1)), "Do one of many things", board.Merged)
		if i >= 9_900 {
			task.Status = board.Unclaimed
		}
		if i%100 != 0 {
			task.DependsOn = []board.TaskID{tasks[i-1].ID}
		}
		tasks = append(tasks, task)
	}
	g := view.GraphOf(boardOf(tasks...), "goal-1")
	svg := Graph(g, Place{})
	require.Contains(t, svg, "and 9700 more tasks (git liza graph goal-1 --format dot has all)")
	require.Contains(t, svg, ">task-9901<")
	require.Contains(t, svg, ">task-10000<")
	require.Less(t, len(svg), 300_000)
	mermaid := Mermaid(g)
	require.Contains(t, mermaid, "and 9700 more tasks (git liza graph goal-1 --format dot has all)")
	require.Less(t, len(mermaid), 50_000, "Mermaid reads no more")
	require.Equal(t, 10_000, strings.Count(DOT(g), "[label="))
	g.Goal = ""
	require.Contains(t, Mermaid(g), "and 9700 more tasks (git liza graph GOAL has fewer, ")
	for i, task := range tasks[:310] {
		task.DependsOn = nil
		for _, needed := range tasks[max(0, i-2):i] {
			task.DependsOn = append(task.DependsOn, needed.ID)
		}
	}
	g = view.GraphOf(boardOf(tasks[:300]...), "goal-1")
	require.Contains(t, Mermaid(g), `["and 97 more arrows (git liza graph goal-1 --format dot has all)"]`)
	require.Contains(t, Mermaid(view.GraphOf(boardOf(tasks[:310]...), "goal-1")), `["and 10 more tasks, 97 more arrows (git liza`)
	require.Equal(t, 597, strings.Count(Graph(g, Place{}), `class="edge`))
}

// contrast is the contrast of two colours as WCAG 2 computes it.
func contrast(t *testing.T, x, y string) float64 {
	light := func(color string) float64 {
		var r, g, b int
		_, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b)
		require.NoError(t, err)
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	first, second := light(x), light(y)
	return (max(first, second) + 0.05) / (min(first, second) + 0.05)
}

func linear(v int) float64 {
	c := float64(v) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// Every text is readable on everything that it may stand on, light and dark, and every border
// is seen.
func TestContrast(t *testing.T) {
	t.Parallel()
	light, dark, both := strings.Cut(Styles, "@media")
	require.True(t, both)
	rule := regexp.MustCompile(`(?m)^(.*) \{(.*)\}$`)
	property := regexp.MustCompile(`(fill|stroke): (#[0-9a-f]{6});`)
	for name, styles := range map[string]string{"light": light, "dark": dark} {
		texts, grounds, borders := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, match := range rule.FindAllStringSubmatch(styles, -1) {
			for _, set := range property.FindAllStringSubmatch(match[2], -1) {
				switch {
				case set[1] == "stroke" && !strings.Contains(match[1], "axis"):
					borders[set[2]] = true
				case set[1] == "stroke", strings.Contains(match[1], "arrow"):
				case strings.Contains(match[1], "text") || strings.Contains(match[1], "quiet"):
					texts[set[2]] = true
				default:
					grounds[set[2]] = true
				}
			}
		}
		if name == "dark" {
			grounds["#161616"] = true
		}
		require.Len(t, texts, 2)
		require.Greater(t, len(grounds), 8)
		for ground := range grounds {
			for text := range texts {
				require.GreaterOrEqual(t, contrast(t, text, ground), 4.5, "%s: %s on %s", name, text, ground)
			}
		}
		paper := map[string]string{"light": "#ffffff", "dark": "#161616"}[name]
		for border := range borders {
			require.GreaterOrEqual(t, contrast(t, border, paper), 3.0, "%s: %s on %s", name, border, paper)
		}
	}
}

// No box stands on another, and what is needed stands to the left.
func TestLayout(t *testing.T) {
	t.Parallel()
	lots := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var tasks []*board.Task
		for i := range 1 + lots.IntN(60) {
			task := taskOf(board.TaskID(fmt.Sprintf("task-%d", i)), "Do it", []board.Status{board.Merged, board.Unclaimed}[lots.IntN(2)])
			if i > 0 && lots.IntN(3) > 0 {
				task.DependsOn = []board.TaskID{tasks[lots.IntN(i)].ID}
			}
			tasks = append(tasks, task)
		}
		l := newLayout(view.GraphOf(boardOf(tasks...), ""))
		l.place()
		require.Len(t, l.at, len(tasks))
		for id, p := range l.at {
			for other, q := range l.at {
				apart := id == other || p.x+boxWidth <= q.x || q.x+boxWidth <= p.x || p.y+boxHeight <= q.y || q.y+boxHeight <= p.y
				require.True(t, apart, "%s at %v, %s at %v", id, p, other, q)
			}
		}
		for _, e := range l.edges {
			require.LessOrEqual(t, l.at[e.From].x+boxWidth, l.at[e.To].x)
		}
	}
}
