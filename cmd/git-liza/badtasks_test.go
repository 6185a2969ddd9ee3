package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badTasks are lists of tasks that nobody can enter, with a sentence that each way in says
// of them. A way that is not named says the first sentence.
var badTasks = []struct {
	name, yaml, tool string // tool is what a client of mcp sends
	want             string
	alone            map[string]string // what a way says in its own words, by the way
	also             []string          // what else each way says
}{
	{name: "a cycle", want: `a cycle of needs: a → b → a`,
		yaml: "- {id: a, depends_on: [b], ALL}\n- {id: b, depends_on: [a], ALL}\n",
		tool: `{"id": "a", "depends_on": ["b"], ALL}, {"id": "b", "depends_on": ["a"], ALL}`},
	{name: "an unknown need", want: "a depends on nobody, which does not exist",
		yaml: "- {id: a, depends_on: [nobody], ALL}\n",
		tool: `{"id": "a", "depends_on": ["nobody"], ALL}`},
	{name: "one id in two cases", want: "there is a task a already",
		yaml: "- {id: a, ALL}\n- {id: A, ALL}\n",
		tool: `{"id": "a", ALL}, {"id": "A", ALL}`},
	{name: "a misspelt key", want: `unknown key "dependson"; did you mean "depends_on"?`,
		yaml: "- {id: a, dependson: [b], ALL}\n",
		tool: `{"id": "a", "dependson": ["b"], ALL}`, alone: map[string]string{"mcp": "tasks[0].dependson: there is no such argument; there are id, draft, title"}},
	{name: "a key given twice", want: `duplicate key "id"`,
		yaml: "- {id: a, id: b, ALL}\n",
		tool: `{"id": "a", "id": "b", ALL}`, alone: map[string]string{"mcp": "tasks[0].id: it is given twice"}},
	{name: "an id with quotes", want: `"a\"b" is not an id (a letter, then at most 63 of`,
		yaml: "- {id: 'a\"b', ALL}\n",
		tool: `{"id": "a\"b", ALL}`},
	{name: "an id with a line break", want: `"a\nb" is not an id (a letter, then at most 63 of`,
		yaml: "- {id: \"a\\nb\", ALL}\n",
		tool: `{"id": "a\nb", ALL}`},
	{name: "a level in words", want: `want a whole number, got the text "2"`,
		yaml: "- {id: a, level: \"2\", ALL}\n",
		tool: `{"id": "a", "level": "2", ALL}`, alone: map[string]string{"mcp": "tasks[0].level: want a value of type integer, not string"}},
	{name: "levels with a gap", want: "c is at level 7, and no",
		yaml: "- {id: c, level: 7, ALL}\n",
		tool: `{"id": "c", "level": 7, ALL}`},
	{name: "a level below that of its need", want: "b is at level 1 and needs a of level 2",
		yaml: "- {id: z, ALL}\n- {id: a, level: 2, ALL}\n- {id: b, level: 1, depends_on: [a], ALL}\n",
		tool: `{"id": "z", ALL}, {"id": "a", "level": 2, ALL}, {"id": "b", "level": 1, "depends_on": ["a"], ALL}`},
	{name: "an estimate of zero", want: `"0s" is not a duration in whole seconds`,
		yaml: "- {id: a, estimate: 0s, ALL}\n",
		tool: `{"id": "a", "estimate": "0s", ALL}`},
	{name: "a path out of the repository", want: `"../x" of a`,
		yaml: "- {id: a, files: {create: [../x]}, ALL}\n",
		tool: `{"id": "a", "create": ["../x"], ALL}`},
	{name: "a path in git's folder", want: `".git/hooks/pre-commit" of a`,
		yaml: "- {id: a, files: {modify: [.git/hooks/pre-commit]}, ALL}\n",
		tool: `{"id": "a", "modify": [".git/hooks/pre-commit"], ALL}`},
	{name: "a pattern out of the repository", want: `"../y" is not a clean path pattern relative to the repository`,
		yaml: "- {id: a, owns: [../y], ALL}\n",
		tool: `{"id": "a", "owns": ["../y"], ALL}`},
	{name: "one path of two tasks in no order", want: "a and b both write src/x.go (by src/**), and neither depends on the other",
		yaml: "- {id: a, owns: [src/**], ALL}\n- {id: b, files: {create: [src/x.go]}, ALL}\n",
		tool: `{"id": "a", "owns": ["src/**"], ALL}, {"id": "b", "create": ["src/x.go"], ALL}`},
	{name: "a pattern in git's folder", want: `a owns ".git/hooks/**", which is in a folder of git`,
		yaml: "- {id: a, owns: [.git/hooks/**], ALL}\n",
		tool: `{"id": "a", "owns": [".git/hooks/**"], ALL}`},
	{name: "a path through a link", want: "the path link/x of a leads through link, which is a file or a link",
		yaml: "- {id: a, files: {create: [link/x]}, ALL}\n",
		tool: `{"id": "a", "create": ["link/x"], ALL}`},
	{name: "a path with a control character", want: `has control characters`,
		yaml: "- {id: a, files: {create: [\"x\\ty\"]}, ALL}\n",
		tool: `{"id": "a", "create": ["x\ty"], ALL}`},
	{name: "a file to create that is there", want: "a creates specs/vision.md, which is there already",
		yaml: "- {id: a, files: {create: [specs/vision.md]}, ALL}\n",
		tool: `{"id": "a", "create": ["specs/vision.md"], ALL}`},
	{name: "a file to change that is not there", want: "a uses gone.go, which is not there, and no task creates it",
		yaml: "- {id: a, files: {modify: [gone.go]}, ALL}\n",
		tool: `{"id": "a", "modify": ["gone.go"], ALL}`},
	{name: "a consumer that does not depend on it", want: "b is a consumer of a and does not depend on it",
		yaml: "- {id: a, consumers: [b], integration_test: t_test.go, ALL}\n- {id: b, ALL}\n",
		tool: `{"id": "a", "consumers": ["b"], "integration_test": "t_test.go", ALL}, {"id": "b", ALL}`},
	{name: "consumers without a test", want: "a has consumers and no integration_test",
		yaml: "- {id: a, consumers: [b], ALL}\n- {id: b, depends_on: [a], ALL}\n",
		tool: `{"id": "a", "consumers": ["b"], ALL}, {"id": "b", "depends_on": ["a"], ALL}`},
	{name: "faults of the rules and of the check", want: "a depends on nobody, which does not exist",
		yaml: "- {id: a, depends_on: [nobody], ALL}\n- {id: b, files: {modify: [gone.go]}, consumers: [a], ALL}\n",
		tool: `{"id": "a", "depends_on": ["nobody"], ALL}, {"id": "b", "modify": ["gone.go"], "consumers": ["a"], ALL}`,
		also: []string{"b uses gone.go, which is not there", "a is a consumer of b and does not depend on it", "b has consumers and no integration_test"}},
	{name: "an anchor", want: "anchors are not allowed",
		yaml: "- &a {id: a, ALL}\n- *a\n"},
}

// Whatever way tasks are entered by, what is wrong with them is told, and nothing is
// entered.
func TestBadTasksByEachWay(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	require.NoError(t, os.Symlink("specs", filepath.Join(p.repo, "link")))
	p.must("git", "add", "link")
	p.must("git", "commit", "-q", "-m", "a link")
	p.must("git-liza", "adopt", "HEAD", "--reason", "a link")
	client := p.client("")
	said := strings.NewReplacer("ALL", `title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs`)
	sent := strings.NewReplacer("ALL", `"title": "T", "done_when": "D", "spec": "specs/vision.md", "scope": "S", "kind": "docs"`)
	file := filepath.Join(t.TempDir(), "plan.yaml")
	for _, test := range badTasks {
		require.NoError(t, os.WriteFile(file, []byte(said.Replace(test.yaml)), 0o644))
		for _, way := range []string{"check", "plan import", "task add --from"} {
			code, stdout, stderr := p.run(nil, append(append([]string{"git-liza"}, strings.Fields(way)...), file)...)
			require.NotZero(t, code, "%s by %s", test.name, way)
			for _, want := range append([]string{cmp.Or(test.alone[way], test.want)}, test.also...) {
				require.Contains(t, stdout+stderr, want, "%s by %s", test.name, way)
			}
		}
		if test.tool != "" {
			r := client.ask("task_add", `{"tasks": [`+sent.Replace(test.tool)+`]}`)
			require.True(t, r.IsError, test.name)
			for _, want := range append([]string{cmp.Or(test.alone["mcp"], test.want)}, test.also...) {
				require.Contains(t, textOf(r), want, test.name)
			}
		}
		require.Empty(t, p.must("git-liza", "list", "--format", "%(id)"), test.name)
	}
	const large = "the texts of a have together more than 131072 bytes" // each of them is short enough
	criteria := strings.Repeat(`"`+strings.Repeat("x", 4000)+`", `, 40)
	require.NoError(t, os.WriteFile(file, []byte("- {id: a, "+said.Replace("ALL")+", acceptance: ["+criteria+"]}\n"), 0o644))
	for _, way := range []string{"check", "plan import", "task add --from"} {
		code, stdout, stderr := p.run(nil, append(append([]string{"git-liza"}, strings.Fields(way)...), file)...)
		require.NotZero(t, code, way)
		require.Contains(t, stdout+stderr, large, way)
	}
	for want, size := range map[string]int64{
		"at most 5000 are ": 0, "the document is larger than 4194304 bytes": 100 << 20,
	} {
		require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("- draft: true\n", 50_000)), 0o644))
		if size > 0 {
			require.NoError(t, os.Truncate(file, size))
		}
		for _, way := range []string{"check", "plan import", "task add --from"} {
			code, stdout, stderr := p.run(nil, append(append([]string{"git-liza"}, strings.Fields(way)...), file)...)
			require.NotZero(t, code, way)
			require.True(t, strings.Contains(stdout+stderr, want), "%s says: %.1000s", way, stdout+stderr)
		}
	}
	r := client.ask("task_add", `{"tasks": [`+strings.Repeat(`{"draft": true},`, 50_000)+`{"draft": true}]}`)
	require.True(t, r.IsError)
	require.Contains(t, textOf(r), "at most 5000 are ")
	require.Empty(t, p.must("git-liza", "list", "--format", "%(id)"))
}
