package liza_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// mayNameStates are the places outside flow that may name the state of a task.
// All others ask flow: a task's predicates, Status.Allows, Board.Opens.
var mayNameStates = map[string]string{
	"cmd/git-liza/view/await.go":      "says what came of a task, state by state",
	"cmd/git-liza/view/waiting.go":    "has a word for why a task waits, by state",
	"cmd/git-liza/bench/generator.go": "writes boards without playing their moves",
}

// states are the names of flow's constants for the states of tasks.
var states = []string{"Draft", "Unclaimed", "Claimed", "ReadyForReview", "Rejected", "Approved", "Blocked",
	"IntegrationFailed", "Merged", "Superseded", "Abandoned"}

// namedStates returns where the Go files below root, outside flow, name states.
func namedStates(root fs.FS) (found []string, err error) {
	err = eachFile(root, func(name string, file *ast.File) {
		if under(path.Dir(name), "flow") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "flow" && slices.Contains(states, sel.Sel.Name) {
				found = append(found, fmt.Sprintf("%s: flow.%s", name, sel.Sel.Name))
			}
			return true
		})
	})
	return found, err
}

// Nobody but flow decides by the state of a task: what may be done with it stands
// in the rules table alone.
func TestStatesAreComparedInFlowAlone(t *testing.T) {
	t.Parallel()
	require.Len(t, flow.Statuses(), len(states))
	found, err := namedStates(os.DirFS("."))
	require.NoError(t, err)
	used := map[string]bool{}
	for _, place := range found {
		file := place[:slices.Index([]byte(place), ':')]
		used[file] = true
		require.Contains(t, mayNameStates, file, "%s: ask a predicate of flow, or Status.Allows", place)
	}
	for file := range mayNameStates {
		require.True(t, used[file], "%s names no state any more", file)
	}
}

func TestNamedStatesAreFound(t *testing.T) {
	t.Parallel()
	text := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package p\n\nimport \"" + module + "/flow\"\n\n" + body + "\n")}
	}
	found, err := namedStates(fstest.MapFS{
		"hooks/a.go":      text("func f(s flow.Status) bool { return s == flow.Merged }"),
		"hooks/b.go":      text("func f(s flow.Status) bool { return s.IsMerged() }"),
		"hooks/a_test.go": text("func f(s flow.Status) bool { return s == flow.Merged }"),
		"flow/a.go":       text("var s = flow.Draft"),
		"work/a.go":       text("func f(s flow.Status) { switch s { case flow.Draft: } }"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{"hooks/a.go: flow.Merged", "work/a.go: flow.Draft"}, found)
}
