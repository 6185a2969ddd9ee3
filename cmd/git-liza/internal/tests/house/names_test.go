package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// namesOfLiza finds the names that flow/layout has constants for: the refs, the
// branches of tasks, the folder of checkouts and what begins with that of a clone.
var namesOfLiza = regexp.MustCompile(`refs/liza|refs/heads/liza|\.worktrees|^.liza/`)

// maySpellNames are the files outside flow/layout that may spell such names.
var maySpellNames = map[string]string{
	"cmd/git-liza/internal/supervise/prompt.go": "the user's folder of configuration has the same name",
	"internal/gittest/gittest.go":               "imports nothing of ours: the programs under test are not asked what they should write",
}

// spelledNames returns where the Go files below root, outside flow/layout, spell
// names of refs and folders. The help of a command is a struct tag, which takes
// no constant.
func spelledNames(root fs.FS) (found map[string][]string, err error) {
	found = map[string][]string{}
	err = eachFile(root, func(name string, file *ast.File) {
		if path.Dir(name) == "flow/layout" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && joinsPrivate(call) {
				found[name] = append(found[name], `"liza"`)
			}
			text, ok := n.(*ast.BasicLit)
			if ok && text.Kind == token.STRING && namesOfLiza.MatchString(text.Value) {
				found[name] = append(found[name], text.Value)
			}
			return true
		})
	})
	return found, err
}

// joinsPrivate reports whether a call joins the folder of a clone to a path.
func joinsPrivate(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	return ok && fun.Sel.Name == "Join" && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		text, ok := arg.(*ast.BasicLit)
		return ok && text.Value == `"liza"`
	})
}

// The names of refs and folders stand in flow/layout alone.
func TestNamesStandInLayout(t *testing.T) {
	t.Parallel()
	found, err := spelledNames(os.DirFS("."))
	require.NoError(t, err)
	for file, texts := range found {
		require.Contains(t, maySpellNames, file, "%s spells %q: flow/layout has a constant for it", file, texts)
	}
	for file := range maySpellNames {
		require.Contains(t, found, file, "%s spells no name any more", file)
	}
}

func TestSpelledNamesAreFound(t *testing.T) {
	t.Parallel()
	text := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "package p\n\n%s\n", body)}
	}
	found, err := spelledNames(fstest.MapFS{
		"hooks/a.go":         text(`const a = "refs/liza/state"`),
		"hooks/b.go":         text("const b = `case $PWD in */.worktrees/*`"),
		"hooks/c.go":         text(`var c = f("liza/" + d, "refs/heads/liza/x")`),
		"hooks/d.go":         text("type d struct { F bool `help:\"kept under refs/liza/rescue/\"` } // refs/liza/state"),
		"hooks/a_test.go":    text(`const a = "refs/liza/state"`),
		"flow/layout/a.go":   text(`const a = "refs/liza/state"`),
		"flow/e.go":          text(`const e = "git liza list"`),
		"hooks/f.go":         text(`var f = filepath.Join(d, "liza", "log") + g("liza")`),
		"hooks/stubs/due.go": text(`const due = "liza/due"`),
	})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{
		"hooks/a.go": {`"refs/liza/state"`},
		"hooks/b.go": {"`case $PWD in */.worktrees/*`"},
		"hooks/c.go": {`"liza/"`, `"refs/heads/liza/x"`},
		"hooks/f.go": {`"liza"`},

		"hooks/stubs/due.go": {`"liza/due"`},
	}, found)
}

// sharedNames returns the names, in small letters, that a function and a type of
// one package below root have in common, as PACKAGE: NAME.
func sharedNames(root fs.FS) (shared []string, err error) {
	types, functions := map[string]bool{}, map[string]bool{}
	err = eachFile(root, func(name string, file *ast.File) {
		eachDeclaration(file, func(what kind, _, declared string) {
			in := path.Dir(name) + ": " + strings.ToLower(declared)
			types[in] = types[in] || what == typ
			functions[in] = functions[in] || what == function
		})
	})
	for name, isFunction := range functions {
		if isFunction && types[name] {
			shared = append(shared, name)
		}
	}
	slices.Sort(shared)
	return shared, err
}

// A type and a function of one package have different names.
func TestTypesAndFunctionsShareNoName(t *testing.T) {
	t.Parallel()
	shared, err := sharedNames(os.DirFS("."))
	require.NoError(t, err)
	require.Empty(t, shared)

	text := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("package p\n\n" + body + "\n")} }
	shared, err = sharedNames(fstest.MapFS{
		"hooks/a.go": text("type judge struct{}"), "hooks/b.go": text("func Judge() {}\nfunc (judge) Push() {}\ntype Push int"),
		"flow/a.go": text("func judge() {}"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{"hooks: judge"}, shared)
}
