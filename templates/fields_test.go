package templates

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	builtIn, err := Layer{Name: "built-in", FS: prompts(), Roles: board.FirstRoles()}.Faults()
	require.NoError(t, err)
	for _, f := range builtIn {
		require.Contains(t, []string{"all/contract.md", "parts/spec.md", "parts/task.md"}, f.Path, f.Text) // no layer may have them
	}
	for _, test := range []struct{ text, want string }{
		{"{{.Task.ID}} {{.Task.Submission.Commit.Short}} {{.Role.String}} {{(index .Notes 0).Nope}}", ""},
		{"a\n{{.Task.Nope}}\n{{.Taks}} {{.Tsak}}", "2 it asks for .Task.Nope, and a Task has no Nope\n3 it asks for .Taks, and a prompt has no Taks"},
		{"{{with .Task}}{{.Nope}}{{else}}{{.Goal.Nope}}{{end}}", "1 it asks for .Nope, and a Task has no Nope"},
		{"{{with .Task}}{{.ID}}{{else}}\n{{.Goal.Nope}}{{end}}", "2 it asks for .Goal.Nope, and a Goal has no Nope"},
		{"{{if .Nope}}{{end}}", "1 it asks for .Nope, and a prompt has no Nope"},
		{"{{range .Notes}}{{.Nope}}{{end}}", "1 it asks for .Nope, and a Note has no Nope"},
		{"{{range $i, $n := .Notes}}{{$i}}{{$n.Nope}}{{end}}", "1 it asks for $n.Nope, and a Note has no Nope"},
		{"{{range $n := .Notes}}{{$n.Nope}}{{end}}", "1 it asks for $n.Nope, and a Note has no Nope"},
		{"{{range $i, $n := .Notes}}{{$i.Nope}}{{$n.Text}}{{$.Task.ID}}{{end}}", ""},
		{"{{range .Notes}}{{$.Nope}}{{end}}", "1 it asks for $.Nope, and a prompt has no Nope"},
		{"{{$x := .Task}}{{$x.Nope}}", "1 it asks for $x.Nope, and a Task has no Nope"},
		{"{{$x := .Task}}{{range .Notes}}{{$x.Text}}{{$x = .}}{{end}}", ""},
		{"{{with $x := .Own}}{{$x.Role}}{{$x.Nope}}{{end}}", "1 it asks for $x.Nope, and a Judgement has no Nope"},
		{"{{(.Own).Nope}}", "1 it asks for (…).Nope, and a Judgement has no Nope"},
		{"{{field \"a\" .Task.Nope}}", "1 it asks for .Task.Nope, and a Task has no Nope"},
		{"{{range last 2 .Notes}}{{.Nope}}{{end}}", ""},
		{"{{range readable .Specs}}{{.Nope}}{{end}}", "1 it asks for .Nope, and a Spec has no Nope"},
		{"{{.Kernel.Nope}}", "1 it asks for .Kernel.Nope, and a string has no Nope"},
		{"{{.Notes.Nope}}", "1 it asks for .Notes.Nope, and a []*board.Note has no Nope"},
		{"{{range .Anomalies}}{{.Details.anything}}{{end}}", ""},
		{"{{template \"nope\"}}", "1 it asks for the template \"nope\", which there is not"},
		{"{{template \"task\" .Task}}{{template \"specs\" .}}", ""},
		{"\n{{template \"task\" .}}", "2 it asks for .ID, and a prompt has no ID"},
		{"{{define \"x\"}}\n{{.Nope}}{{template \"x\" .}}{{end}}{{template \"x\" .Task}}", "2 it asks for .Nope, and a Task has no Nope"},
		{"{{define \"unused\"}}{{.Nope}}{{end}}", ""},
		{"{{block \"x\" .Goal}}{{.Nope}}{{end}}", "1 it asks for .Nope, and a Goal has no Nope"},
		{strings.Repeat("{{.Nope}}", 7000) + "\n{{.Nope}}", "1 it asks for .Nope, and a prompt has no Nope"},
		{"{{/* nothing */}}", ""},
		{"", ""},
	} {
		faults, err := layer("project", "question/end.md", test.text).Faults()
		require.NoError(t, err)
		var lines []string
		for _, f := range faults {
			require.Equal(t, "question/end.md", f.Path)
			lines = append(lines, fmt.Sprintf("%d %s", f.Line, f.Text))
		}
		require.Equal(t, test.want, strings.Join(lines, "\n"), test.text)
	}
}

// A file does not see what another one defines: each is filled in alone.
func TestPiecesOfAnotherFile(t *testing.T) {
	t.Parallel()
	faults, err := layer("project", "all/end.md", `{{define "x"}}x{{end}}{{template "x"}}`, "all/goal.md", `{{template "x"}}`).Faults()
	require.NoError(t, err)
	require.Equal(t, []Fault{{"all/goal.md", 1, `it asks for the template "x", which there is not`}}, faults)
}
