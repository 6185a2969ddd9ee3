package form

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/library"
)

var update = flag.Bool("update", false, "write the faults of the texts in testdata")

func formOf(t testing.TB, name string) *Form {
	l, err := library.Open(nil)
	require.NoError(t, err)
	kind, err := l.Type(name)
	require.NoError(t, err)
	f, err := Of(kind, l.Template(name))
	require.NoError(t, err)
	return f
}

// What is wrong with the texts of each type is written down beside them. A text named
// good is wrong in nothing. A carriage return is written as ␍.
func TestTexts(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.Len(t, archives, 9, "one for each type in Markdown")
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		f := formOf(t, strings.TrimSuffix(filepath.Base(path), ".txtar"))
		f.Finished = true
		var got strings.Builder
		last := len(archive.Files) - 1
		for _, file := range archive.Files[:last] {
			wrong := f.Check(file.Name, []byte(strings.ReplaceAll(string(file.Data), "␍", "\r")))
			require.Equal(t, strings.HasPrefix(file.Name, "good"), len(wrong) == 0, "%s %s %v", path, file.Name, wrong)
			for _, one := range wrong {
				fmt.Fprintf(&got, "%s:%d: %s [%s] %s\n", file.Name, one.Line, one.Code, one.Field, one.Text)
			}
		}
		if *update {
			archive.Files[last].Data = []byte(got.String())
			require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o600))
		}
		require.Equal(t, string(archive.Files[last].Data), got.String(), path)
	}
}

// A template is wrong in every line that it leaves to its author, and in nothing that an
// author may keep.
func TestTemplates(t *testing.T) {
	t.Parallel()
	l, err := library.Open(nil)
	require.NoError(t, err)
	for _, d := range l.Types() {
		if d.Template == "" || d.Name == "plan" {
			continue
		}
		f := formOf(t, d.Name)
		left := map[int]bool{}
		for _, one := range f.Check(d.Name+".md", []byte(d.Template)) {
			require.NotContains(t, []artifacts.Code{artifacts.CodeHeading, artifacts.CodeMissing, artifacts.CodeUnknown, artifacts.CodeFrontMatter}, one.Code, "%s: %v", d.Name, one)
			if one.Code == artifacts.CodePlaceholder {
				left[one.Line] = true
			}
		}
		for i, line := range strings.Split(d.Template, "\n") {
			if strings.Contains(line, blank) {
				require.True(t, left[i+1], "%s:%d %s", d.Name, i+1, line)
			}
			if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "status: ") || strings.HasPrefix(line, "type: ") {
				require.False(t, left[i+1], "%s:%d %s", d.Name, i+1, line)
			}
		}
	}
}

// What stands in code is no placeholder, however much it looks like one.
func TestPlaceholdersInCode(t *testing.T) {
	t.Parallel()
	f := formOf(t, "prd")
	require.Empty(t, f.left("a\n```\n- …\n```\n", 1, map[int]bool{3: true}))
	require.Len(t, f.left("a\n```\n- …\n```\n- …\n", 1, map[int]bool{3: true}), 1)
}

// What is wrong with front matter is said on its line, and stands before all else.
func TestFrontMatter(t *testing.T) {
	t.Parallel()
	f := formOf(t, "prd")
	for text, want := range map[string]string{
		"# A title\n":                      "1 front_matter: ",
		"---\nid: [PRD-1\n---\n# A\n":      "2 front_matter: ",
		"---\n\tid: PRD-1\n---\n":          "2 front_matter: ",
		"---\n- id\n---\n":                 "2 front_matter: the front matter is no mapping of keys to values",
		"---\n---\n":                       "1 front_matter: the front matter is empty",
		"---\nid: &a PRD-1\n---\n":         "2 front_matter: anchors are not allowed",
		"---\nid: PRD-1\ntitle: *a\n---\n": "3 front_matter: aliases are not allowed",
		"---\nid: !!int 1\n---\n":          "2 front_matter: ",
		"---\nid: PRD-1\nid: PRD-2\n---\n": "3 front_matter: duplicate key \"id\"",
		"---\nid: " + strings.Repeat("x", artifacts.MaxFrontMatter) + "\n---\n": "1 front_matter: the front matter is larger than 65536 bytes",
		strings.Repeat("x", 10<<20): "1 size: the file is larger than ",
	} {
		wrong := f.Check("x.md", []byte(text))
		require.NotEmpty(t, wrong, "%.100s", text)
		got := fmt.Sprintf("%d %s: %s", wrong[0].Line, wrong[0].Code, wrong[0].Text)
		require.True(t, strings.HasPrefix(got, want), "%.100s: %s", text, got)
	}
}

// Hostile texts are judged in a moment, and in little memory.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	f := formOf(t, "prd")
	nested := ""
	for depth := range 40 {
		nested += strings.Repeat("  ", depth) + "- x\n"
	}
	for name, text := range map[string]string{
		"10 MB":            "---\nid: " + strings.Repeat("x", 10<<20),
		"10 MB of keys":    "---\n" + strings.Repeat("a: b\n", 2<<20) + "---\n",
		"front matter":     "---\nid: " + strings.Repeat("x", artifacts.MaxFrontMatter) + "\n---\n",
		"many values":      "---\na: [" + strings.Repeat("1,", 20_000) + "1]\n---\n",
		"brackets":         "---\na: " + strings.Repeat("[", 60_000) + "\n---\n",
		"braces":           "---\na: " + strings.Repeat("{a: ", 7_000) + "\n---\n",
		"quotes":           "---\na: \"" + strings.Repeat("\\\"", 30_000) + "\n---\n",
		"indentation":      "---\n" + strings.Repeat(" ", 60_000) + "a: b\n---\n",
		"billion laughs":   "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\n",
		"quotations":       strings.Repeat("> ", 100_000) + "x\n",
		"lists in lists":   strings.Repeat("- ", 100_000) + "x\n",
		"lists and blanks": nested + strings.Repeat("\n", 19_000),
		"lines":            strings.Repeat("\n", 30_000),
		"lists again":      strings.Repeat("- x\n  - y\n    1. z\n", 6_000),
		"link definitions": strings.Repeat("[a]: <b> 'c\n", 19_000),
		"open link":        strings.Repeat("[", 250_000),
		"fences":           strings.Repeat("```\n", 19_000),
		"html":             strings.Repeat("<a ", 80_000),
		"comments":         strings.Repeat("<!--", 60_000),
		"headings":         strings.Repeat("# Scope\n", 19_000),
		"setext":           strings.Repeat("Scope\n---\n", 9_000),
		"emphasis":         "# " + strings.Repeat("*a _", 60_000),
		"zero":             "# Scope\n\x00",
		"no utf-8":         "# Scope\n\xff",
		"order mark":       "\ufeff---\nid: PRD-1\n---\n",
	} {
		begin := time.Now()
		wrong := f.Check("x.md", []byte(text))
		require.NotEmpty(t, wrong, name)
		require.LessOrEqual(t, len(wrong), artifacts.MaxFaults, name)
		if took := time.Since(begin); took > 200*time.Millisecond {
			t.Logf("%s: %v", name, took)
		}
	}
}

func FuzzCheck(f *testing.F) {
	held := formOf(f, "adr")
	f.Add("---\nid: ADR-1\ntitle: xyz\nstatus: accepted\n---\n# ADR\n## 1. Context\n")
	f.Add("- a\n  - b\n\n> c\n\n    d\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, one := range held.Check("x.md", []byte(text)) {
			require.Positive(t, one.Line)
			require.LessOrEqual(t, one.Line, 1+strings.Count(text, "\n"))
			require.Contains(t, artifacts.Codes, one.Code)
			require.NotEmpty(t, one.Text)
		}
	})
}
