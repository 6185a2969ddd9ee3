package planforms

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// Trees that no archive should hold: too many files, too large, no text, and links.
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	plans := func(n int) fstest.MapFS {
		tree := fstest.MapFS{}
		for i := range n {
			tree[fmt.Sprintf("phases/01-a/01-%05d-PLAN.md", i)] = file("---\nwave: " + fmt.Sprint(i%2+1) + "\n---\n<objective>X</objective>\n")
		}
		return tree
	}
	large, deep := fstest.MapFS{}, fstest.MapFS{"ROADMAP.md": file("# R\n### Phase 1: A\n")}
	for i := range 40 {
		large[fmt.Sprintf("phases/01-a/01-%02d-PLAN.md", i)] = file(strings.Repeat("x\n", MaxFile/2))
	}
	deep[strings.Repeat("d/", 30)+"PLAN.md"] = file("# P\n")
	for name, test := range map[string]struct {
		tree fstest.MapFS
		want string
	}{
		"many":      {plans(9_990), "\nid: plan-01-9989\n"},
		"too many":  {plans(MaxFiles), "refused: the folder holds more than 10000 files, too many for one plan; name the part that holds the plan\n"},
		"large":     {fstest.MapFS{"PLAN.md": file(strings.Repeat("x\n", MaxFile))}, "wrong PLAN.md:524289: form: the file is larger than 1048576 bytes\n"},
		"all large": {large, "refused: the files of the folder have together more than 16 MiB; name the part that holds the plan\n"},
		"deep":      {deep, "is nested deeper than 16 folders\n"},
		"no text":   {fstest.MapFS{"PLAN.md": file("# A\n\xff\n")}, "wrong PLAN.md:2: form: the text is not UTF-8\n"},
		"zero byte": {fstest.MapFS{"prd.json": file("{\n\x00}")}, "wrong prd.json:2: form: the text is not UTF-8\n"},
		"link": {fstest.MapFS{"ROADMAP.md": file("# R\n### Phase 1: A\n"), "phases/01-a/01-01-PLAN.md": &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("../../../etc/passwd")}},
			"left phases/01-a/01-01-PLAN.md:1: the file: it is a link or no plain file, and is not followed\n"},
		"pipe": {fstest.MapFS{"PLAN.md": file("# A\n"), "01-01-PLAN.md": &fstest.MapFile{Mode: fs.ModeNamedPipe}},
			"left 01-01-PLAN.md:1: the file: it is a link or no plain file, and is not followed\n"},
		"only a link": {fstest.MapFS{"prd.json": &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("/etc/passwd")}}, "refused: the folder has no plan"},
		"long texts": {fstest.MapFS{"PLAN.md": file("<objective>" + strings.Repeat("é", 9_000) + "</objective>\n<success_criteria>\n" + strings.Repeat("- a\n", 70) + "</success_criteria>\n")},
			"left PLAN.md:1: acceptance: only its first 50 entries are taken\n"},
		"nested JSON": {fstest.MapFS{"prd.json": file(strings.Repeat("[", 100_000))}, "wrong prd.json:1: form: nested deeper than 32\n"},
		"anchors":     {fstest.MapFS{"PLAN.md": file("---\na: &a [x]\nb: *a\n---\n# A\n")}, "wrong PLAN.md:2: form: anchors are not allowed\n"},
		"steps":       {fstest.MapFS{"PLAN.md": file(many("<task><files>src/%d</files></task>\n", 25_000))}, "left PLAN.md:1: steps: only the first 50 are taken\n"},
		"roadmap":     {fstest.MapFS{"ROADMAP.md": file(many("### Phase %d: A\n", 20_000))}, "id: phase-19999\n"},
		"tags":        {fstest.MapFS{"PLAN.md": file("# A\n" + strings.Repeat("<task ", 100_000))}, "id: plan-x\n"},
		"not closed":  {fstest.MapFS{"PLAN.md": file("# A\n<objective>\nB\n```\n<task>\n")}, "id: plan-x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			got := told(test.tree, "x", "", nil)
			require.Contains(t, got, test.want)
			require.NotContains(t, got, "wrong : ")
			require.Less(t, time.Since(begin), time.Minute)
		})
	}
}

// A file that is named alone is read alone, and not if it leads elsewhere.
func TestNamedFiles(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"01-01-PLAN.md": {Data: []byte("<objective>A</objective>")},
		"01-02-PLAN.md": {Data: []byte("<objective>B</objective>")},
		"ROADMAP.md":    {Mode: fs.ModeSymlink, Data: []byte("/etc/passwd")},
	}
	for base, is := range map[string]bool{"PLAN.md": true, "a-PLAN.md": true, "prd.json": true, "ROADMAP.md": true, "plan.yaml": false, "task-graph.json": false, "MYPLAN.md": false} {
		require.Equal(t, is, IsNamed(base), base)
	}
	got := told(tree, "x", "01-02-PLAN.md", nil)
	require.Contains(t, got, "id: plan-01-02\n")
	require.NotContains(t, got, "01-01")
	require.Contains(t, told(tree, "x", "ROADMAP.md", nil), "refused: it is a link or no plain file, and is not followed\n")
	_, err := Read(tree, "x", "PLAN.md")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Keys without value are empty; keys whose value stands below them are not touched.
func TestWithoutNulls(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a: \"\"\nb:\n- x\nc:\n  d: \"\"\n\n  e: 1\nf: \"\"\nk:\n- g: \"\"\n  h:\n    - i\nj: \"\"", withoutNulls("a: null\nb:\n- x\nc:\n  d: ~\n\n  e: 1\nf: # none\nk:\n- g:\n  h:\n    - i\nj:"))
}

// many is a text n times, with its numbers.
func many(format string, n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

func TestIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 70)
	for _, test := range [][2]string{
		{"US-001", "US-001"}, {"1736-x", "t-1736-x"}, {"", "t"}, {"..", "t"}, {"a b/c", "a-b-c"}, {"a..b", "a.b"}, {"x.lock", "x-lock"},
		{"é", "t"}, {"-a.", "a"}, {long, long[:55] + "-6"},
	} {
		got := idOf(test[0])
		require.True(t, strings.HasPrefix(got, test[1]), got)
		require.Equal(t, got, idOf(test[0]))
		var id board.TaskID
		require.NoError(t, id.UnmarshalText([]byte(got)), got)
	}
	require.NotEqual(t, idOf(long+"b"), idOf(long+"c"))
}

// What their work does to their files does not change what was imported: a plan that is
// done there is on the board already, and is compared.
func TestDoneLater(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"phases/01-a/01-01-PLAN.md": {Data: []byte("<objective>A</objective>")},
		"phases/01-a/01-02-PLAN.md": {Data: []byte("<objective>B</objective>")},
	}
	onBoard := func(id board.TaskID) bool { return true }
	before := told(tree, ".planning", "", onBoard)
	tree["phases/01-a/01-01-SUMMARY.md"] = &fstest.MapFile{Data: []byte("done")}
	after := told(tree, ".planning", "", onBoard)
	const line = "finished phases/01-a/01-01-PLAN.md:1: plan-01-01: A: 01-01-SUMMARY.md is there; the board has it, and says what becomes of it here\n"
	require.Equal(t, before, strings.Replace(after, line, "", 1))
	require.NotEqual(t, before, after)
	require.NotContains(t, told(tree, ".planning", "", nil), "depends_on")
}

// Any text of any file leads to a plan or a refusal, and every id of it is one.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"PLAN.md", "ROADMAP.md", "prd.json", "STATE.md", "tasks/task-graph.json"} {
		f.Add(name, "---\nid: a\nwave: 1\ndepends_on: [b]\n---\n# A\n- [ ] **Phase 1: B**\n<task><name>x</name></task>\n")
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if !fs.ValidPath(name) || name == "." {
			return
		}
		tree := fstest.MapFS{name: {Data: []byte(text)}}
		file, err := Read(tree, "x", "")
		if err != nil {
			return
		}
		for i, task := range file.Plan.Tasks {
			var id board.TaskID
			if file.Report.System != "ZERG, task-graph.json" {
				require.NoError(t, id.UnmarshalText([]byte(task.ID)))
			}
			require.Positive(t, file.TaskLine(i))
		}
	})
}
