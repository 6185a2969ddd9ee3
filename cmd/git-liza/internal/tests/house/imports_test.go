// Package house tests what no single package can know, such as which package
// may import which.
package house

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const module = "github.com/git-liza/git-liza"

// mayImport has a row per package of ours and says which others of ours it may
// import. A package without a row is an error: the author of a package decides
// here where it stands. A row without a package is no error.
var mayImport = map[string][]string{
	"artifacts":         {"flow", "flow/layout", "flow/lists", "flow/pattern", "gitstore/document", "flow/glob", "flow/board"},
	"artifacts/form":    {"artifacts", "artifacts/library"},
	"artifacts/library": {"artifacts", "flow/lists", "flow/spelling", "gitstore/document", "flow/board"},
	"flow":              {"flow/automation", "flow/layout", "flow/lists", "flow/pattern", "flow/plaintext", "flow/shell", "flow/glob", "flow/board"},
	"flow/board":        {"flow/automation", "flow/glob", "flow/layout", "flow/lists", "flow/oid", "flow/pattern", "flow/shell"},
	"flow/glob":         {"flow/lists"},
	"flow/automation":   {},
	"flow/breaker":      {"flow", "flow/lists", "flow/board"},
	"flow/layout":       {},
	"flow/lists":        {},
	"flow/markdown":     {"flow/lists", "flow/pattern"},
	"flow/oid":          {},
	"flow/pattern":      {},
	"flow/plaintext":    {},
	"flow/plan":         {"flow", "flow/shell", "flow/glob", "flow/board"},
	"flow/shell":        {"flow/plaintext"},
	"flow/spelling":     {},
	"gitstore":          {"artifacts", "flow", "flow/automation", "flow/layout", "flow/lists", "flow/markdown", "flow/pattern", "flow/shell", "gitstore/document", "gitstore/git", "gitstore/hugepage", "gitstore/secret", "flow/glob", "flow/board"},
	"gitstore/document": {"flow/lists", "flow/pattern", "flow/spelling"},
	"gitstore/git":      {"flow/layout", "flow/lists", "flow/oid", "flow/pattern", "flow/plaintext", "flow/shell"},
	"gitstore/hugepage": {},
	"gitstore/secret":   {},
	"worktrees":         {"flow/layout", "flow/shell", "gitstore/git"},
	"hooks":             {"flow", "flow/layout", "flow/lists", "flow/plaintext", "flow/shell", "gitstore", "gitstore/git", "hooks/stubs", "worktrees", "flow/board"},
	"hooks/stubs":       {"flow/layout", "flow/lists", "flow/shell", "gitstore/git"},
	"contracts":         {"flow/lists", "flow/pattern"},
	"templates":         {"flow", "flow/lists", "flow/pattern", "flow/shell", "flow/board"},

	"cmd/git-liza": {
		"artifacts", "artifacts/form", "artifacts/library", "flow", "flow/automation", "flow/layout", "flow/lists", "flow/pattern", "flow/plaintext", "flow/plan", "flow/shell", "gitstore", "gitstore/document", "gitstore/git", "worktrees", "hooks", "hooks/stubs", "contracts", "templates",
		"cmd/git-liza/internal/proc/broker", "cmd/git-liza/internal/proc/confine", "cmd/git-liza/internal/agent/launcher", "cmd/git-liza/internal/view/metrics", "cmd/git-liza/internal/proc", "cmd/git-liza/internal/work", "cmd/git-liza/internal/agent/provider",
		"gitstore/secret", "cmd/git-liza/internal/supervise", "cmd/git-liza/internal/agent/transcript", "cmd/git-liza/internal/plan/planfile", "cmd/git-liza/internal/plan/planforms", "cmd/git-liza/internal/diagnosis", "cmd/git-liza/internal/agent/playbook", "cmd/git-liza/internal/demo", "cmd/git-liza/internal/ui/mcp",
		"cmd/git-liza/internal/ui/screen", "cmd/git-liza/internal/view", "cmd/git-liza/internal/deepstack", "cmd/git-liza/internal/notify", "cmd/git-liza/internal/ui/drawing", "cmd/git-liza/internal/config", "cmd/git-liza/internal/project/roles", "cmd/git-liza/internal/project/survey", "cmd/git-liza/internal/ui/web", "cmd/git-liza/internal/codehost", "cmd/git-liza/internal/plan/stories", "cmd/git-liza/internal/project/recall", "cmd/git-liza/internal/project/lesson", "cmd/git-liza/internal/project/extension", "flow/glob", "flow/board",
	},
	"cmd/git-liza/internal/config":            {"flow/spelling", "flow/board"},
	"cmd/git-liza/internal/codehost":          {},
	"cmd/git-liza/internal/proc/broker":       {"cmd/git-liza/internal/proc"},
	"cmd/git-liza/internal/proc/confine":      {"cmd/git-liza/internal/proc", "flow", "flow/layout", "flow/lists", "flow/pattern", "flow/shell", "gitstore/git"},
	"cmd/git-liza/internal/deepstack":         {},
	"cmd/git-liza/internal/project/extension": {"artifacts", "artifacts/library", "contracts", "flow", "flow/lists", "flow/pattern", "gitstore/document", "templates", "cmd/git-liza/internal/diagnosis", "cmd/git-liza/internal/agent/launcher", "cmd/git-liza/internal/agent/provider", "cmd/git-liza/internal/project/roles", "flow/board"},
	"cmd/git-liza/internal/project/lesson":    {"artifacts", "flow", "gitstore/document", "flow/glob", "flow/board"},
	"cmd/git-liza/internal/notify":            {"flow/layout", "flow/lists", "flow/plaintext", "gitstore/git", "cmd/git-liza/internal/proc", "gitstore/secret"},
	"cmd/git-liza/internal/project/recall":    {},
	"cmd/git-liza/internal/project/roles":     {"flow", "gitstore/document", "contracts", "flow/board"},
	"cmd/git-liza/internal/plan/stories":      {},
	"cmd/git-liza/internal/project/survey":    {"flow/pattern", "gitstore/git"},
	"cmd/git-liza/internal/view":              {"cmd/git-liza/internal/project/extension", "cmd/git-liza/internal/project/recall", "cmd/git-liza/internal/project/lesson", "cmd/git-liza/internal/diagnosis", "flow", "flow/automation", "flow/breaker", "flow/lists", "flow/plaintext", "flow/plan", "flow/shell", "gitstore", "gitstore/document", "cmd/git-liza/internal/view/metrics", "cmd/git-liza/internal/view/patch", "flow/glob", "flow/board"},
	"cmd/git-liza/internal/diagnosis":         {"flow/pattern", "flow/plaintext", "flow/shell", "gitstore/document", "flow/board"},
	"cmd/git-liza/internal/ui/drawing":        {"flow/lists", "flow/plaintext", "cmd/git-liza/internal/view", "flow/board"},
	"cmd/git-liza/internal/ui/mcp":            {},
	"cmd/git-liza/internal/ui/screen":         {"flow", "flow/plaintext", "cmd/git-liza/internal/view", "flow/board"},
	"cmd/git-liza/internal/view/metrics":      {"flow", "flow/lists", "gitstore", "flow/board"},
	"cmd/git-liza/internal/view/patch":        {"flow/pattern", "flow/plaintext"},
	"cmd/git-liza/internal/ui/web":            {"flow", "flow/markdown", "flow/plaintext", "gitstore", "gitstore/git", "cmd/git-liza/internal/view/patch", "cmd/git-liza/internal/proc", "cmd/git-liza/internal/view", "cmd/git-liza/internal/work", "cmd/git-liza/internal/ui/drawing", "cmd/git-liza/internal/view/metrics", "flow/board"},
	"cmd/git-liza/internal/tests/bench":       {"flow", "flow/layout", "gitstore", "gitstore/document", "gitstore/git", "worktrees", "cmd/git-liza/internal/proc", "cmd/git-liza/internal/work", "internal/gittest", "flow/board"},
	"cmd/git-liza/internal/plan/planfile":     {"flow", "flow/automation", "flow/lists", "flow/plan", "gitstore/document", "flow/board"},
	"cmd/git-liza/internal/plan/planforms":    {"artifacts", "flow/lists", "flow/pattern", "flow/plan", "gitstore/document", "cmd/git-liza/internal/plan/planfile", "cmd/git-liza/internal/plan/stories", "flow/board"},
	"cmd/git-liza/internal/agent/launcher":    {"flow/layout", "gitstore/document", "gitstore/git", "cmd/git-liza/internal/proc"},
	"cmd/git-liza/internal/proc":              {},
	"cmd/git-liza/internal/agent/transcript":  {"flow/board"},
	"cmd/git-liza/internal/agent/acp":         {"cmd/git-liza/internal/proc", "cmd/git-liza/internal/agent/transcript", "flow/board"},
	"cmd/git-liza/internal/work":              {"cmd/git-liza/internal/codehost", "cmd/git-liza/internal/proc/confine", "cmd/git-liza/internal/project/extension", "cmd/git-liza/internal/project/lesson", "flow", "flow/breaker", "flow/layout", "flow/lists", "flow/markdown", "flow/pattern", "flow/plan", "flow/shell", "gitstore", "gitstore/document", "gitstore/git", "worktrees", "cmd/git-liza/internal/view/metrics", "cmd/git-liza/internal/plan/planfile", "cmd/git-liza/internal/proc", "gitstore/secret", "flow/spelling", "flow/glob", "flow/board"},
	"cmd/git-liza/internal/agent/provider":    {"flow/layout", "flow/pattern", "flow/shell", "gitstore/document", "gitstore/git", "cmd/git-liza/internal/proc/confine", "cmd/git-liza/internal/agent/launcher", "cmd/git-liza/internal/proc", "gitstore/secret", "cmd/git-liza/internal/agent/transcript", "cmd/git-liza/internal/agent/acp", "flow/board"},
	"cmd/git-liza/internal/supervise": {
		"flow", "flow/layout", "flow/lists", "flow/markdown", "flow/pattern", "flow/shell", "gitstore", "gitstore/document", "gitstore/git", "worktrees", "hooks/stubs", "contracts", "templates",
		"cmd/git-liza/internal/agent/launcher", "cmd/git-liza/internal/view/patch", "cmd/git-liza/internal/proc/broker", "cmd/git-liza/internal/proc/confine", "cmd/git-liza/internal/proc", "cmd/git-liza/internal/work", "cmd/git-liza/internal/agent/provider", "cmd/git-liza/internal/project/roles", "cmd/git-liza/internal/agent/transcript", "gitstore/secret", "cmd/git-liza/internal/project/lesson", "cmd/git-liza/internal/project/extension", "flow/glob", "flow/board",
	},
	"cmd/git-liza/internal/agent/playbook":    {"flow/layout", "gitstore/document", "cmd/git-liza/internal/proc", "flow/board"},
	"cmd/git-liza/internal/demo":              {"flow", "flow/layout", "gitstore", "gitstore/document", "gitstore/git", "cmd/git-liza/internal/proc", "cmd/git-liza/internal/work", "cmd/git-liza/internal/agent/playbook", "flow/board"},
	"cmd/git-liza/internal/tests/e2e/standin": {},

	"internal/faults":    {},               // of tests
	"internal/gittest":   {},               // of tests
	"internal/guards":    {"flow/pattern"}, // of make guards
	"internal/killpoint": {},               // of tests
	"internal/picture":   {},               // of make picture
	"internal/torture":   {},               // of tests
}

// onlyIn says which packages may import what everybody else gets from them.
var onlyIn = []struct {
	what     string // an import path, or the beginning of one that ends in /
	packages []string
	why      string
}{
	{"github.com/go-git/", []string{"gitstore/git"}, "gitstore/git is the only user of go-git"},
	{"os/exec", []string{"gitstore/git", "cmd/git-liza/internal/proc", "cmd/git-liza/internal/tests/bench", "internal/killpoint", "internal/gittest", "internal/faults", "internal/guards", "internal/picture"}, "git is run by gitstore/git, in tests by gittest, boards with a fault made by faults, tests without a guard by guards, files listed by picture, other commands by proc, measured by bench, and killed in tests by killpoint"},
	{"github.com/modelcontextprotocol/", []string{"cmd/git-liza/internal/ui/mcp"}, "mcp alone knows the protocol"},
	{"github.com/alecthomas/kong", []string{"cmd/git-liza"}, "only the command tree knows kong"},
	{"github.com/yuin/", []string{"artifacts/form", "cmd/git-liza/internal/ui/web"}, "web alone makes Markdown HTML, and form alone holds it against a type"},
	{"github.com/google/jsonschema-go/", []string{"artifacts/library", "cmd/git-liza/internal/ui/mcp"}, "library alone judges by JSON Schema, and mcp describes tools by it"},
	{"github.com/coder/acp-go-sdk", []string{"cmd/git-liza/internal/agent/acp"}, "acp alone speaks the Agent Client Protocol"},
	{"github.com/landlock-lsm/", []string{"cmd/git-liza/internal/proc"}, "proc alone confines commands"},
	{"github.com/elastic/", []string{"cmd/git-liza/internal/proc"}, "proc alone confines commands"},
	{"charm.land/", []string{"cmd/git-liza/internal/ui/screen"}, "screen alone draws on terminals"},
	{"github.com/charmbracelet/", []string{"cmd/git-liza/internal/ui/screen"}, "screen alone draws on terminals"},
	{"github.com/hiddeco/sshsig", []string{"gitstore"}, "gitstore alone signs moves and reads signatures"},
}

// pure are the packages that have no I/O, no clock and no randomness.
var pure = []string{"artifacts/form", "flow", "flow/markdown", "flow/plaintext", "cmd/git-liza/internal/view", "cmd/git-liza/internal/ui/drawing", "cmd/git-liza/internal/view/metrics", "cmd/git-liza/internal/view/patch", "cmd/git-liza/internal/config", "cmd/git-liza/internal/diagnosis", "cmd/git-liza/internal/plan/stories"}

// impure is what they may not use although it is in the standard library.
var impure = []string{"os", "net", "syscall", "io/ioutil", "log", "embed", "math/rand", "crypto/rand", "path/filepath", "unsafe", "C"}

// tabled are the pure packages whose tables or styles are files of the program.
var tabled = []string{"cmd/git-liza/internal/config", "cmd/git-liza/internal/diagnosis", "cmd/git-liza/internal/ui/drawing"}

// clock are the functions of package time that ask it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// unnamed are package names that do not say what a package is about.
var unnamed = []string{"util", "utils", "common", "helper", "helpers", "types", "manager", "misc"}

// violations reads the Go files below root that are no tests and returns what
// is wrong with their imports, a line each.
func violations(root fs.FS) ([]string, error) {
	var wrong, yamlFiles []string
	err := eachFile(root, func(name string, file *ast.File) {
		if usesYAML(file) {
			yamlFiles = append(yamlFiles, name)
		}
		for _, what := range judge(path.Dir(name), file) {
			wrong = append(wrong, name+": "+what)
		}
	})
	if len(yamlFiles) > 1 || len(yamlFiles) == 1 && path.Dir(yamlFiles[0]) != "gitstore/document" {
		wrong = append(wrong, fmt.Sprintf("yaml is imported by %v; it stays behind one file of gitstore/document", yamlFiles))
	}
	return wrong, err
}

// judge returns what is wrong with one file of the package in folder dir.
func judge(dir string, file *ast.File) (wrong []string) {
	for _, name := range unnamed {
		if file.Name.Name == name || path.Base(dir) == name {
			wrong = append(wrong, "a package named "+name+" is about nothing; name it by its noun")
		}
	}
	allowed, known := mayImport[dir]
	if !known {
		return append(wrong, "package "+dir+" has no row in mayImport (imports_test.go of the house); say what it may import")
	}
	for _, imported := range imports(file) {
		if own, ok := strings.CutPrefix(imported, module+"/"); ok && !slices.Contains(allowed, own) {
			wrong = append(wrong, dir+" may not import "+own)
		}
		for _, rule := range onlyIn {
			if covers(rule.what, imported) && !slices.Contains(rule.packages, dir) {
				wrong = append(wrong, dir+" may not import "+imported+": "+rule.why)
			}
		}
		if isPure(dir) {
			wrong = append(wrong, judgePure(dir, imported)...)
		}
	}
	if isPure(dir) && asksClock(file) {
		wrong = append(wrong, dir+" asks the clock; time is a parameter")
	}
	return wrong
}

func isPure(dir string) bool {
	return slices.ContainsFunc(pure, func(top string) bool { return under(dir, top) })
}

// judgePure holds pure packages to the pure part of the standard library, and
// the core to the standard library and Unicode's forms.
func judgePure(dir, imported string) (wrong []string) {
	first, _, _ := strings.Cut(imported, "/")
	if under(dir, "flow") && strings.Contains(first, ".") && !under(imported, module+"/flow") && imported != "golang.org/x/text/unicode/norm" {
		wrong = append(wrong, dir+" may import the standard library only, not "+imported)
	}
	for _, name := range impure {
		if under(imported, name) && (imported != "embed" || !slices.Contains(tabled, dir)) {
			wrong = append(wrong, dir+" does no I/O and draws no lots, so it may not import "+imported)
		}
	}
	return wrong
}

func imports(file *ast.File) (paths []string) {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// usesYAML also finds a fork under another path.
func usesYAML(file *ast.File) bool {
	for _, p := range imports(file) {
		if strings.Contains(p, "yaml") && !strings.HasPrefix(p, module) {
			return true
		}
	}
	return false
}

func asksClock(file *ast.File) (asks bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			pkg, ok := sel.X.(*ast.Ident)
			asks = asks || ok && pkg.Name == "time" && slices.Contains(clock, sel.Sel.Name)
		}
		return true
	})
	return asks
}

func covers(what, imported string) bool {
	return imported == what || strings.HasSuffix(what, "/") && strings.HasPrefix(imported, what)
}

func under(p, top string) bool { return p == top || strings.HasPrefix(p, top+"/") }

func TestImportDirection(t *testing.T) {
	t.Parallel()
	wrong, err := violations(os.DirFS("."))
	require.NoError(t, err)
	require.Empty(t, wrong, strings.Join(wrong, "\n"))
}

// A permission that nobody uses is taken back: it says that a package is needed
// where it is not.
func TestImportTableAllowsWhatIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string][]string{} // by folder
	require.NoError(t, eachFile(os.DirFS("."), func(name string, file *ast.File) {
		used[path.Dir(name)] = append(used[path.Dir(name)], imports(file)...)
	}))
	for dir, allowed := range mayImport {
		for _, own := range allowed {
			require.Contains(t, used[dir], module+"/"+own, "%s may import %s and does not", dir, own)
		}
	}
	for _, rule := range onlyIn {
		for _, dir := range rule.packages {
			require.True(t, slices.ContainsFunc(used[dir], func(p string) bool { return covers(rule.what, p) }), "%s may import %s and does not", dir, rule.what)
		}
	}
}

// The table itself must not allow a circle, nor speak of packages it lacks.
func TestImportTable(t *testing.T) {
	t.Parallel()
	var visit func(name string, trail []string)
	visit = func(name string, trail []string) {
		require.NotContains(t, trail, name, "circle")
		require.Contains(t, mayImport, name)
		for _, next := range mayImport[name] {
			visit(next, append(trail, name))
		}
	}
	for name := range mayImport {
		visit(name, nil)
	}
}

func TestImportViolations(t *testing.T) {
	t.Parallel()
	own := func(p string) string { return module + "/" + p }
	for _, test := range []struct {
		file, imports string
		body          string
		want          string // empty: nothing is wrong
	}{
		{"gitstore/a.go", own("flow"), "", ""},
		{"gitstore/git/a.go", "os/exec", "", ""},
		{"gitstore/git/a.go", "github.com/go-git/go-git/v5/plumbing", "", ""},
		{"gitstore/document/a.go", "gopkg.in/yaml.v3", "", ""},
		{"gitstore/a_test.go", own("worktrees"), "", ""},
		{"cmd/git-liza/internal/proc/a.go", "os/exec", "", ""},
		{"cmd/git-liza/demo_test.go", "os/exec", "", ""},
		{"testdata/script/a.go", own("nothing"), "", ""},
		{".worktrees/task-1/flow/a.go", "os", "", ""},
		{"flow/a.go", "time", "var d = time.Second", ""},

		{"flow/a.go", own("gitstore"), "", "flow may not import gitstore"},
		{"worktrees/a.go", own("flow"), "", "worktrees may not import flow"},
		{"worktrees/a.go", own("gitstore"), "", "worktrees may not import gitstore"},
		{"hooks/stubs/a.go", own("flow"), "", "hooks/stubs may not import flow"},
		{"hooks/stubs/a.go", own("hooks"), "", "hooks/stubs may not import hooks"},
		{"gitstore/git/a.go", own("flow"), "", "gitstore/git may not import flow"},
		{"gitstore/git/a.go", own("gitstore"), "", "gitstore/git may not import gitstore"},
		{"gitstore/document/a.go", own("flow"), "", "gitstore/document may not import flow"},
		{"gitstore/a.go", "os/exec", "", "git is run by gitstore/git"},
		{"gitstore/a.go", "github.com/go-git/go-git/v5/plumbing", "", "gitstore/git is the only user of go-git"},
		{"gitstore/a.go", "gopkg.in/yaml.v3", "", "one file of gitstore/document"},
		{"templates/a.go", own("contracts"), "", "templates may not import contracts"},
		{"gitstore/a.go", own("cmd/git-liza/internal/proc"), "", "gitstore may not import cmd/git-liza/internal/proc"},
		{"cmd/git-liza/internal/work/a.go", own("cmd/git-liza/internal/supervise"), "", "cmd/git-liza/internal/work may not import cmd/git-liza/internal/supervise"},
		{"cmd/git-liza/a.go", own("flow/internal"), "", "may not import flow/internal"},
		{"cmd/git-liza/a.go", "os/exec", "", "other commands by proc"},
		{"worktrees/a.go", "os/exec", "", "git is run by gitstore/git"},
		{"cmd/git-liza/a.go", "github.com/go-git/go-git/v5", "", "gitstore/git is the only user of go-git"},
		{"cmd/git-liza/a.go", "gopkg.in/yaml.v3", "", "one file of gitstore/document"},
		{"cmd/git-liza/a.go", "go.yaml.in/yaml/v3", "", "one file of gitstore/document"},
		{"templates/a.go", "github.com/alecthomas/kong", "", "only the command tree knows kong"},
		{"flow/a.go", "golang.org/x/sync/errgroup", "", "standard library only"},
		{"flow/a.go", "os", "", "no I/O"},
		{"flow/a.go", "net/http", "", "no I/O"},
		{"flow/a.go", "math/rand/v2", "", "no I/O"},
		{"cmd/git-liza/internal/view/a.go", "os", "", "no I/O"},
		{"cmd/git-liza/internal/view/a.go", "time", "var now = time.Now", "time is a parameter"},
		{"cmd/git-liza/internal/view/a.go", own("cmd/git-liza/internal/work"), "", "may not import cmd/git-liza/internal/work"},
		{"flow/a.go", "time", "func f() int64 { return time.Now().Unix() }", "time is a parameter"},
		{"gitstore/cache/a.go", "fmt", "", "package gitstore/cache has no row"},
		{"cmd/git-liza/helper/a.go", "fmt", "", "a package named helper is about nothing"},
	} {
		t.Run(test.file+" imports "+test.imports, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf("package p\n\nimport _ %q\n\n%s\n", test.imports, test.body)
			wrong, err := violations(fstest.MapFS{test.file: {Data: []byte(text)}})
			require.NoError(t, err)
			if test.want == "" {
				require.Empty(t, wrong)
				return
			}
			require.Contains(t, strings.Join(wrong, "\n"), test.want)
		})
	}
	t.Run("two files of gitstore/document know yaml", func(t *testing.T) {
		t.Parallel()
		text := []byte("package document\n\nimport _ \"gopkg.in/yaml.v3\"\n")
		wrong, err := violations(fstest.MapFS{"gitstore/document/a.go": {Data: text}, "gitstore/document/b.go": {Data: text}})
		require.NoError(t, err)
		require.Equal(t, []string{"yaml is imported by [gitstore/document/a.go gitstore/document/b.go]; it stays behind one file of gitstore/document"}, wrong)
	})
}
