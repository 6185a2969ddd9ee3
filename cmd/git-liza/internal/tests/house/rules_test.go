package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every rule has one name and one line of meaning in the page that
// `git liza help rules` prints, and no other file writes the name of a rule where
// one is expected. hooks/stubs knows no rules and has its own, which are in the
// table too.
func TestRuleNames(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	const page = "cmd/git-liza/help/rules.txt"
	for line := range strings.Lines(read(t, page)) {
		rule, meaning, _ := strings.Cut(line, " ")
		require.False(t, known[rule], "%s stands twice", rule)
		require.NotEmpty(t, strings.TrimSpace(meaning), rule)
		known[rule] = true
	}
	require.NoError(t, eachFile(os.DirFS("."), func(name string, file *ast.File) {
		table := name == "flow/refusal.go" || name == "flow/rulenames.go" || strings.HasPrefix(name, "hooks/stubs/")
		for _, rule := range writtenRules(file) {
			require.True(t, known[rule], "%s: rule %s is not in %s", name, rule, page)
			require.True(t, table, "%s: rule %s is written out; use the constant of flow", name, rule)
		}
	}))
}

// writtenRules are the literals of a file that stand for rules: values of
// constants of a type Rule, of fields rule and Rule, and of failures.
func writtenRules(file *ast.File) (list []string) {
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && text != "" {
				list = append(list, text)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if strings.HasSuffix(typeName(n.Type), "Rule") {
				for _, v := range n.Values {
					add(v)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "rule") {
				add(n.Value)
			}
		case *ast.CompositeLit:
			if typeName(n.Type) == "failure" && len(n.Elts) > 2 {
				add(n.Elts[2])
			}
		case *ast.CallExpr:
			if name := typeName(n.Fun); (name == "refusal" || name == "flow.Rule") && len(n.Args) > 0 {
				add(n.Args[0])
			}
		}
		return true
	})
	return list
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return fmt.Sprintf("%s.%s", typeName(e.X), e.Sel.Name)
	}
	return ""
}
