package house

import (
	"go/ast"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestPatternsAreCompiledLate refuses variables of packages that hold a regular
// expression: each would be compiled at every start of the program.
func TestPatternsAreCompiledLate(t *testing.T) {
	early, err := earlyPatterns(os.DirFS("."))
	require.NoError(t, err)
	require.Empty(t, early, "use pattern.Late")
}

// TestPatternsOfFixtures sees the check fail.
func TestPatternsOfFixtures(t *testing.T) {
	early, err := earlyPatterns(fstest.MapFS{
		"a/a.go": {Data: []byte("package a\n\nimport \"regexp\"\n\nvar early = regexp.MustCompile(`x`)\n")},
		"b/b.go": {Data: []byte("package b\n\nimport \"regexp\"\n\nfunc f() { _ = regexp.MustCompile(`x`) }\n\nvar late = func() any { return regexp.MustCompile(`x`) }\n")},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a/a.go: early"}, early)
}

// earlyPatterns returns the variables of packages below root whose values compile a
// regular expression, with their files.
func earlyPatterns(root fs.FS) (early []string, err error) {
	err = eachFile(root, func(name string, file *ast.File) {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && compiles(v) {
					early = append(early, name+": "+v.Names[0].Name)
				}
			}
		}
	})
	return early, err
}

// compiles reports whether the value of a variable compiles a regular expression.
func compiles(v *ast.ValueSpec) (found bool) {
	ast.Inspect(v, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				pkg, ok := sel.X.(*ast.Ident)
				found = found || ok && pkg.Name == "regexp"
			}
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return found
}
