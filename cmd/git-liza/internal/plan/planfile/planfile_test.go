package planfile

import (
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
)

var update = flag.Bool("update", false, "write testdata anew")

const limit = 4 << 20

// tree is the one that the plans of this test are checked against.
var tree = map[string]plan.Found{
	"S": plan.Blob, "go.mod": plan.Blob, "src": plan.Folder, "src/old.go": plan.Blob, "link": plan.Symlink,
	".gsd/specs/shop/requirements.md": plan.Blob,
}

var ground = plan.Ground{
	Find:    func(name string) plan.Found { return tree[name] },
	OnBoard: func(id board.TaskID) bool { return id == "done" },
	Names:   func(id board.TaskID, _ string) bool { return id == "done" },
	HasTool: func(program string) bool { return program == "true" },

	TextLimit: 200,
}

// checked reads and checks a plan, and formats what it finds.
func checked(name, text string) string {
	f := Read(name, []byte(text), limit)
	var faults []plan.Fault
	if len(f.Plan.Tasks) > 0 {
		faults = plan.Check(&f.Plan, ground)
	}
	wrong, warnings := f.Locate(faults)
	var out strings.Builder
	for _, one := range wrong {
		fmt.Fprintf(&out, "%d: %s: %s\n", one.Line, one.Code, one.Reason)
	}
	for _, one := range warnings {
		fmt.Fprintf(&out, "%d: warning: %s: %s\n", one.Line, one.Code, one.Reason)
	}
	return out.String()
}

// Each plan of the archive has what it is told below it.
func TestChecks(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/checks.txtar")
	require.NoError(t, err)
	want := map[string]string{}
	for _, file := range archive.Files {
		want[file.Name] = string(file.Data)
	}
	written := &txtar.Archive{Comment: archive.Comment}
	seen := map[plan.Code]bool{}
	for _, file := range archive.Files {
		if path.Ext(file.Name) == ".want" {
			continue
		}
		answer := strings.TrimSuffix(file.Name, path.Ext(file.Name)) + ".want"
		got := checked(file.Name, string(file.Data))
		written.Files = append(written.Files, file, txtar.File{Name: answer, Data: []byte(got)})
		for line := range strings.Lines(got) {
			words := strings.Split(strings.ReplaceAll(line, "warning: ", ""), ": ")
			seen[plan.Code(words[1])] = true
		}
		if !*update {
			require.Equal(t, want[answer], got, file.Name)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/checks.txtar", txtar.Format(written), 0o666))
	}
	page, err := os.ReadFile("../../../../../doc/plans.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "\n| code | holds |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		code := plan.Code(strings.Split(row, "`")[1])
		require.True(t, seen[code], "no plan of the archive is told %s", code)
		delete(seen, code)
	}
	require.Empty(t, seen, "doc/plans.md lacks these codes")
}

// Plans that no archive should hold: too large, too deep, or of very many tasks.
func TestHostilePlans(t *testing.T) {
	t.Parallel()
	var laughs, many, wild, nested strings.Builder
	laughs.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
	}
	for i := range 10_000 {
		fmt.Fprintf(&many, "- {id: t%d, depends_on: [t%d]}\n", i, (i+1)%10_000)
	}
	for i := range 40_000 {
		fmt.Fprintf(&many, "- {id: u%d}\n", i)
	}
	for i := range 1_500 {
		fmt.Fprintf(&wild, "- {id: t%d, owns: [\"**/x%d\"]}\n", i, i)
	}
	nested.WriteString(`{"tasks": ` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}")
	for name, test := range map[string]struct{ file, text, want, more string }{
		"bomb":       {"a.yaml", laughs.String(), "1: form: anchors are not allowed\n", ""},
		"too large":  {"a.yaml", strings.Repeat("#\n", limit), "2097153: form: the document is larger than 4194304 bytes\n", ""},
		"large json": {"a.json", strings.Repeat(" \n", limit), "2097153: form: the document is larger than 4194304 bytes\n", ""},
		"deep":       {"a.json", nested.String(), "1: form: nested deeper than 32\n", ""},
		"many":       {"a.yaml", many.String(), "1: limit: the plan has 50000 tasks, at most 5000 are entered at once\n", "10000: cycle: a cycle of needs: t0 → t1 → t2 → "},
		"wild":       {"a.yaml", wild.String(), "1: limit: the path patterns of the tasks take more than 1000000 comparisons", ""},
		"brackets":   {"a.yaml", "[" + strings.Repeat("a,", 1<<20) + "]", "1: form: the document holds more than 300000 values\n", ""},
		"values":     {"a.json", `{"tasks": [` + strings.Repeat(`"",`, 300_000) + `""]}`, "1: form: the document holds more than 300000 values\n", ""},
		"empty":      {"a.yaml", "", "1: form: the document is empty\n", ""},
		"none":       {"a.yaml", "[]\n", "1: form: the plan has no task\n", ""},
		"no graph":   {"a.json", "[]\n", "1: form: want a mapping, got a list\n", ""},
		"not UTF-8":  {"a.yaml", "- id: \xff\n", "1: form: the text is not UTF-8\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := checked(test.file, test.text)
			require.Contains(t, got, test.want)
			require.Contains(t, got, test.more)
		})
	}
}

// Any text leads to findings or to a plan whose places have lines.
func FuzzRead(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/checks.txtar")
	require.NoError(f, err)
	for _, file := range archive.Files {
		f.Add(path.Ext(file.Name) == ".json", file.Data)
	}
	f.Fuzz(func(t *testing.T, json bool, data []byte) {
		name := "a.yaml"
		if json {
			name = "a.json"
		}
		for line := range strings.Lines(checked(name, string(data))) {
			require.NotEqual(t, byte('0'), line[0], line)
		}
	})
}

func BenchmarkReadAndCheck(b *testing.B) {
	var canonical, flowing strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&canonical, "- id: task-%d\n  title: Task %[1]d\n  done_when: It works\n  spec: S\n  scope: S\n  depends_on:\n    - task-%d\n  verify: \"true\"\n  files:\n    create:\n      - src/%[1]d.go\n", i, max(0, i-1)/2)
		fmt.Fprintf(&flowing, "- {id: task-%d, title: Task %[1]d, done_when: It works, spec: S, scope: S, depends_on: [task-%d], verify: 'true', files: {create: [src/%[1]d.go]}}\n", i, max(0, i-1)/2)
	}
	for name, text := range map[string]string{"canonical": canonical.String(), "flowing": flowing.String()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.Contains(b, checked("a.yaml", text), "limit: ")
			}
		})
	}
}
