package house

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// mostMethods is how many methods of a type may be in reach: those that it declares, and
// those of what it embeds.
const mostMethods = 60

// manyMethods are the types with more in reach, each with a reason. A row that is not
// needed any more is an error.
var manyMethods = map[string]string{
	"cmd/git-liza.sitting":                    "has the dialog, which has the invocation",
	"cmd/git-liza.supervisors":                "has the invocation",
	"cmd/git-liza/internal/supervise.worker":  "has its registration, which has the rush",
	"cmd/git-liza/internal/ui/screen.drawing": "has the model and a style",
	"cmd/git-liza/internal/view.collector":    "has the reading",
	"cmd/git-liza/internal/work.Tasks":        "is a clone",
	"cmd/git-liza/internal/work.feed":         "is a clone",
	"cmd/git-liza/internal/work.importer":     "is a clone",
	"cmd/git-liza/internal/work.undoer":       "is a clone",
	"worktrees.Trees":                         "has the registry, the contents and what is left over",
}

// TestMethods refuses types with more methods in reach than a reader can hold in mind:
// what a part of them is about is a type with fields of its own.
func TestMethods(t *testing.T) {
	t.Parallel()
	wrong, err := overlong(os.DirFS("."), mostMethods, manyMethods)
	require.NoError(t, err)
	require.Empty(t, wrong)
}

// TestMethodsOfFixtures sees the check fail.
func TestMethodsOfFixtures(t *testing.T) {
	t.Parallel()
	const three = "package p\n\nimport \"" + module + "/q\"\n\ntype T struct{ *q.U }\n\nfunc (T) a() {}\nfunc (t *T) b() {}\n"
	root := fstest.MapFS{
		"p/p.go":      {Data: []byte(three)},
		"p/more.go":   {Data: []byte("package p\n\nfunc (t *T) c() {}\n\ntype G[X any] struct{}\n\nfunc (G[X]) a() {}\n")},
		"p/p_test.go": {Data: []byte("package p\n\nfunc (t *T) d() {}\n")},
		"q/q.go":      {Data: []byte("package q\n\ntype U struct{ own }\n\ntype own struct{}\n\nfunc (own) a() {}\nfunc (own) e() {}\n")},
	}
	for _, c := range []struct {
		most    int
		allowed map[string]string
		want    []string
	}{
		{4, nil, nil},
		{3, nil, []string{"p.T has 4 methods in reach, more than 3"}},
		{3, map[string]string{"p.T": "why"}, nil},
		{4, map[string]string{"p.T": "why"}, []string{"p.T has 4 methods in reach and needs no exception"}},
		{4, map[string]string{"p.Gone": "why"}, []string{"p.Gone has 0 methods in reach and needs no exception"}},
	} {
		wrong, err := overlong(root, c.most, c.allowed)
		require.NoError(t, err)
		require.Equal(t, c.want, wrong)
	}
}

// overlong returns the types below root with more than most methods in reach that are not
// allowed to, and those that are allowed to and have not, a line each. Tests do not count.
func overlong(root fs.FS, most int, allowed map[string]string) ([]string, error) {
	own, embeds := map[string][]string{}, map[string][]string{}
	err := eachFile(root, func(name string, file *ast.File) {
		here := path.Dir(name)
		eachDeclaration(file, func(what kind, of, name string) {
			if what == method {
				own[here+"."+of] = append(own[here+"."+of], name)
			}
		})
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				embeds[here+"."+spec.Name.Name] = embedded(file, here, spec)
			}
			return true
		})
	})
	var reach func(name string, found map[string]bool) map[string]bool
	reach = func(name string, found map[string]bool) map[string]bool {
		for _, m := range own[name] {
			found[m] = true
		}
		for _, of := range embeds[name] {
			reach(of, found)
		}
		return found
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(embeds)) {
		if n := len(reach(name, map[string]bool{})); allowed[name] == "" && n > most {
			wrong = append(wrong, fmt.Sprintf("%s has %d methods in reach, more than %d", name, n, most))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if n := len(reach(name, map[string]bool{})); n <= most {
			wrong = append(wrong, fmt.Sprintf("%s has %d methods in reach and needs no exception", name, n))
		}
	}
	return wrong, err
}

// embedded returns the types of this module that a struct embeds, as FOLDER.TYPE.
func embedded(file *ast.File, here string, spec *ast.TypeSpec) (list []string) {
	body, is := spec.Type.(*ast.StructType)
	if !is {
		return nil
	}
	for _, f := range body.Fields.List {
		of := f.Type
		if star, is := of.(*ast.StarExpr); is {
			of = star.X
		}
		if generic, is := of.(*ast.IndexExpr); is {
			of = generic.X
		}
		switch of := of.(type) {
		case *ast.Ident:
			if len(f.Names) == 0 {
				list = append(list, here+"."+of.Name)
			}
		case *ast.SelectorExpr:
			for _, imported := range file.Imports {
				where, ours := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), module+"/")
				if ours && len(f.Names) == 0 && path.Base(where) == of.X.(*ast.Ident).Name {
					list = append(list, where+"."+of.Sel.Name)
				}
			}
		}
	}
	return list
}
