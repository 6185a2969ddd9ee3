package house

import (
	"go/ast"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConcurrentPackages holds the list of packages that are tested with the race detector
// to what the code says.
func TestConcurrentPackages(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(".ci/concurrent", "yes").Output()
	require.NoError(t, err)
	listed := strings.Fields(string(out))
	signs := map[string]string{}
	require.NoError(t, eachFile(os.DirFS("."), func(name string, file *ast.File) {
		if sign := concurrency(file); sign != "" {
			signs[path.Join(module, path.Dir(name))] = name + " has " + sign
		}
	}))
	for name, sign := range signs {
		require.Contains(t, listed, name, sign)
	}
	require.Contains(t, signs, module+"/cmd/git-liza/internal/supervise")

	out, err = exec.Command(".ci/concurrent", "no").Output()
	require.NoError(t, err)
	others := strings.Fields(string(out))
	for _, name := range pure {
		require.Contains(t, others, module+"/"+name)
	}
	all, err := exec.Command("go", "list", "./...").Output()
	require.NoError(t, err)
	require.ElementsMatch(t, strings.Fields(string(all)), append(listed, others...))
}

// concurrency returns a sign that a file starts goroutines or guards what several of them
// use, "" if it has none.
func concurrency(file *ast.File) (sign string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			sign = "a go statement"
		case *ast.SelectorExpr:
			from, _ := n.X.(*ast.Ident)
			if from == nil {
				return true
			}
			switch name := from.Name + "." + n.Sel.Name; {
			case name == "sync.OnceValue", name == "sync.OnceValues":
			case from.Name == "sync", from.Name == "atomic", n.Sel.Name == "AfterFunc":
				sign = name
			}
		}
		return true
	})
	return sign
}
