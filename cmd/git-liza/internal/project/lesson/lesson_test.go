package lesson

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParse reads lessons that are right, and says of others what is wrong, with the line.
func TestParse(t *testing.T) {
	t.Parallel()
	l, faults := Parse(".liza/knowledge/fields.md", []byte("---\npaths: [src/**, \"*.go\"]\ncommits:\n- 1f2e3d4\ncontradicts: [other]\n---\n\n# Fields\nTrim them.\n"))
	require.Empty(t, faults)
	require.Equal(t, Lesson{Name: "fields", Path: ".liza/knowledge/fields.md", Paths: []string{"src/**", "*.go"}, Roles: []string{}, Commits: []string{"1f2e3d4"},
		Contradicts: []string{"other"}, Text: "# Fields\nTrim them."}, l)
	for text, want := range map[string]string{
		"Trim them.\n": "1 front_matter a lesson begins with front matter: paths that it concerns, and commits that it comes from|1 missing paths is a list of at least one text|1 missing commits is a list of at least one text",
		"---\npaths: [a]\ncommits: [1f2e3d4]\nauthor: x\n---\nT\n":           "4 unknown there are paths, roles, commits and contradicts, no author",
		"---\npaths: [../a]\ncommits: [1f2e3d4]\n---\nT\n":                   `2 value "../a" is not a clean path pattern relative to the repository`,
		"---\npaths: [a]\ncommits:\n- 1f2e3d4\n- main\n---\nT\n":             "5 value a commit is named by seven or more digits of its id",
		"---\npaths: []\ncommits: [1f2e3d4]\n---\nT\n":                       "2 missing paths is a list of at least one text",
		"---\npaths: a\ncommits: [1f2e3d4]\n---\nT\n":                        "2 missing paths is a list of at least one text",
		"---\npaths: [a]\ncommits: [1f2e3d4]\ncontradicts: [x.md]\n---\nT\n": "4 value a lesson is named as its file below .liza/knowledge, without .md",
		"---\npaths: [a]\ncommits: [1f2e3d4]\ncontradicts: [l]\n---\nT\n":    "4 value a lesson does not contradict itself",
		"---\npaths: [a]\ncommits: [1f2e3d4]\n---\n \n":                      "5 content it says nothing below the front matter",
		"---\npaths: [a\n":             "1 front_matter the front matter, which begins with ---, has no end: a line --- of its own",
		strings.Repeat("x", MaxFile+1): "1 size a lesson has at most 16 KiB",
	} {
		_, faults := Parse(".liza/knowledge/l.md", []byte(text))
		var said []string
		for _, f := range faults {
			said = append(said, string(rune('0'+f.Line))+" "+string(f.Code)+" "+f.Text)
		}
		require.Equal(t, want, strings.Join(said, "|"), "%.80s", text)
	}
}

// TestFor holds that a lesson reaches exactly the tasks that it concerns.
func TestFor(t *testing.T) {
	t.Parallel()
	all := []Lesson{
		{Name: "all", Paths: []string{"**"}},
		{Name: "docs", Paths: []string{"doc/**", "README.md"}},
		{Name: "lines", Paths: []string{"src/parser/lines.go"}},
		{Name: "new", Paths: []string{"src/**"}, Contradicts: []string{"old", "gone"}},
		{Name: "old", Paths: []string{"**"}},
		{Name: "parser", Paths: []string{"src/parser/**"}},
	}
	names := func(paths ...string) (names []string) {
		for _, l := range For(all, paths) {
			names = append(names, l.Name)
		}
		return names
	}
	require.Equal(t, []string{"lines", "parser", "all"}, names("src/parser/**"))
	require.Equal(t, []string{"parser", "all"}, names("src/parser/fields.go"))
	require.Equal(t, []string{"docs", "all"}, names("README.md", "LICENSE"))
	require.Equal(t, []string{"all"}, names("lib/a.go"))
	require.Equal(t, []string{"lines", "parser", "docs", "all"}, names("**"))
	require.Empty(t, names())
	all = append(all, Lesson{Name: "playbook", Roles: []string{"architect"}})
	require.Empty(t, names("lib/a.go")[1:], "it concerns roles, not paths")
	require.Equal(t, "playbook", For(all, []string{"lib/a.go"}, "coder", "architect")[1].Name)
	require.True(t, IsLesson(".liza/knowledge/designs/cache.md") && !IsLesson(".liza/knowledge/a/b/cache.md"))
	require.Equal(t, []Conflict{{"new", "old"}}, Conflicts(all), "gone is not there")
}

func TestWithin(t *testing.T) {
	t.Parallel()
	list, left := Within([]string{"aaaa", "bbbbbb", "cc"}, 7)
	require.Equal(t, []string{"aaaa", "cc"}, list)
	require.Equal(t, 1, left)
}

// Lessons of two folders that have one file name are two lessons.
func TestNamesInFolders(t *testing.T) {
	t.Parallel()
	one := func(file, about string) Lesson {
		l, faults := Parse(Folder+"/"+file, []byte("---\npaths: [a]\ncommits: [1f2e3d4]\n"+about+"---\nT\n"))
		require.Empty(t, faults)
		return l
	}
	all := []Lesson{one("x.md", ""), one("a/x.md", "contradicts: [b/x]\n"), one("b/x.md", "")}
	require.Equal(t, []Conflict{{"a/x", "b/x"}}, Conflicts(all))
	require.Equal(t, []Lesson{all[0]}, For(all, []string{"a"}))
}
