package house

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// mostMethods is how many methods a type of ours may declare.
const mostMethods = 40

// manyMethods are the types that may declare more, each with a reason. A row that
// is not needed any more is an error.
var manyMethods = map[string]string{}

// TestMethods refuses types that declare more methods than a reader can hold in
// mind: what a part of them is about is a type of its own.
func TestMethods(t *testing.T) {
	wrong, err := overlong(os.DirFS("."), mostMethods, manyMethods)
	require.NoError(t, err)
	require.Empty(t, wrong)
}

// TestMethodsOfFixtures sees the check fail.
func TestMethodsOfFixtures(t *testing.T) {
	const three = "package p\n\ntype T struct{}\n\nfunc (T) a() {}\nfunc (t *T) b() {}\n"
	root := fstest.MapFS{
		"p/p.go":      {Data: []byte(three)},
		"p/more.go":   {Data: []byte("package p\n\nfunc (t *T) c() {}\n\ntype G[X any] struct{}\n\nfunc (G[X]) a() {}\n")},
		"p/p_test.go": {Data: []byte("package p\n\nfunc (t *T) d() {}\n")},
	}
	for _, c := range []struct {
		most    int
		allowed map[string]string
		want    []string
	}{
		{3, nil, nil},
		{2, nil, []string{"p.T declares 3 methods, more than 2"}},
		{2, map[string]string{"p.T": "why"}, nil},
		{3, map[string]string{"p.T": "why"}, []string{"p.T declares 3 methods and needs no exception"}},
		{3, map[string]string{"p.Gone": "why"}, []string{"p.Gone declares 0 methods and needs no exception"}},
	} {
		wrong, err := overlong(root, c.most, c.allowed)
		require.NoError(t, err)
		require.Equal(t, c.want, wrong)
	}
}

// overlong returns the types below root that declare more than most methods and
// are not allowed to, and those that are allowed to and do not, a line each.
// Tests do not count.
func overlong(root fs.FS, most int, allowed map[string]string) ([]string, error) {
	counts := map[string]int{}
	err := eachFile(root, func(name string, file *ast.File) {
		eachDeclaration(file, func(what kind, of, _ string) {
			if what == method {
				counts[path.Dir(name)+"."+of]++
			}
		})
	})
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if _, ok := allowed[name]; !ok && counts[name] > most {
			wrong = append(wrong, fmt.Sprintf("%s declares %d methods, more than %d", name, counts[name], most))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if counts[name] <= most {
			wrong = append(wrong, fmt.Sprintf("%s declares %d methods and needs no exception", name, counts[name]))
		}
	}
	return wrong, err
}
