package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// mayNameStates are the places outside flow that may name a state of a task, of
// the board, of a goal or of a sprint. All others ask flow: its predicates,
// Allows, Opens.
var mayNameStates = map[string]string{
	"cmd/git-liza/internal/view/await.go":            "says what came of a task, state by state",
	"cmd/git-liza/internal/view/plan.go":             "draws tasks that are on no board yet",
	"cmd/git-liza/internal/view/waiting.go":          "has a word for why a task waits, by state",
	"cmd/git-liza/internal/view/metrics/counts.go":   "counts the time in which somebody had a task, state by state",
	"cmd/git-liza/internal/tests/bench/generator.go": "writes boards without playing their moves",
	"cmd/git-liza/internal/tests/bench/metrics.go":   "writes moves without playing them",
}

// states are the names of the constants of package board of the types Status, Control and
// Phase.
func states(root fs.FS) (names []string, err error) {
	err = eachFile(root, func(name string, file *ast.File) {
		if path.Dir(name) != "flow/board" {
			return
		}
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST || len(group.Specs) == 0 {
				continue
			}
			// The constants that iota numbers have the type of the first.
			typ, ok := group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident)
			if !ok || !slices.Contains([]string{"Status", "Control", "Phase"}, typ.Name) {
				continue
			}
			for _, spec := range group.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					names = append(names, id.Name)
				}
			}
		}
	})
	return names, err
}

// namedStates returns where the Go files below root, outside flow, name states.
func namedStates(root fs.FS, states []string) (found []string, err error) {
	err = eachFile(root, func(name string, file *ast.File) {
		if under(path.Dir(name), "flow") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "board" && slices.Contains(states, sel.Sel.Name) {
				found = append(found, fmt.Sprintf("%s: board.%s", name, sel.Sel.Name))
			}
			return true
		})
	})
	return found, err
}

// Only flow decides by a state: the rules table alone says what may be done.
func TestStatesAreComparedInFlowAlone(t *testing.T) {
	t.Parallel()
	names, err := states(os.DirFS("."))
	require.NoError(t, err)
	require.Subset(t, names, []string{"Draft", "Abandoned", "Running", "Stopped", "InProgress", "Aborted"})
	require.Len(t, names, len(board.Statuses())+8, "four control states, four phases")
	found, err := namedStates(os.DirFS("."), names)
	require.NoError(t, err)
	used := map[string]bool{}
	for _, place := range found {
		file := place[:slices.Index([]byte(place), ':')]
		used[file] = true
		require.Contains(t, mayNameStates, file, "%s: ask a predicate of flow, or flow.Allows", place)
	}
	for file := range mayNameStates {
		require.True(t, used[file], "%s names no state any more", file)
	}
}

func TestNamedStatesAreFound(t *testing.T) {
	t.Parallel()
	text := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package p\n\nimport \"" + module + "/flow/board\"\n\n" + body + "\n")}
	}
	found, err := namedStates(fstest.MapFS{
		"hooks/a.go":      text("func f(s board.Status) bool { return s == board.Merged }"),
		"hooks/b.go":      text("func f(s board.Status) bool { return s.IsMerged() }"),
		"hooks/a_test.go": text("func f(s board.Status) bool { return s == board.Merged }"),
		"flow/a.go":       text("var s = board.Draft"),
		"work/a.go":       text("func f(s board.Status) { switch s { case board.Draft: } }"),
		"work/b.go":       text("func f(c board.Control) bool { return c != board.Running }"),
	}, []string{"Draft", "Merged", "Running"})
	require.NoError(t, err)
	require.Equal(t, []string{"hooks/a.go: board.Merged", "work/a.go: board.Draft", "work/b.go: board.Running"}, found)
}
