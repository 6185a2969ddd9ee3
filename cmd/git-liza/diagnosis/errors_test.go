package diagnosis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// reportOf is the report of a training sample.
func reportOf(t *testing.T, name string) Report {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "training", name+".txt"))
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(data), "\n---\n")
	return Read([]byte(text))
}

// The first error of real outputs, with its place and what brought it about.
func TestErrors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Error{
		"go-undefined":       {Language: "go", Type: "compile", Message: "undefined: Item", File: "cart/cart.go", Line: 3},
		"go-nil":             {Language: "go", Type: "panic", Message: "runtime error: invalid memory address or nil pointer dereference", File: "/home/ann/shop/main.go", Line: 7, Function: "main.show"},
		"go-index":           {Language: "go", Type: "panic", Message: "runtime error: index out of range [0] with length 0", File: "/home/ann/shop/cart.go", Line: 3, Function: "example.com/shop.First"},
		"go-test-assert":     {Language: "go", Type: "test", Message: "Total(2, 3) = 2, want 5", File: "cart_test.go", Line: 7, Function: "TestTotal"},
		"go-file-missing":    {Language: "go", Type: "log", Message: "read configuration: open config/shop.yaml: no such file or directory", Causes: []string{"open config/shop.yaml", "no such file or directory"}},
		"python-key":         {Language: "python", Type: "KeyError", Message: "'coffee'", File: "/home/ann/shop/cart.py", Line: 3, Function: "price"},
		"python-syntax":      {Language: "python", Type: "SyntaxError", Message: "expected ':'", File: "/home/ann/shop/cart.py", Line: 1},
		"pytest-assert":      {Language: "python", Type: "AssertionError", Message: "assert 'ok' == 'connection refused'", File: "test_cart.py", Line: 5},
		"python-refused":     {Language: "python", Type: "urllib.error.URLError", Message: "<urlopen error [Errno 111] Connection refused>", File: "/usr/lib/python3.11/urllib/request.py", Line: 1351, Function: "do_open", Causes: []string{"ConnectionRefusedError: [Errno 111] Connection refused"}},
		"node-nil":           {Language: "javascript", Type: "Error", Message: "cart cannot be shown", File: "/home/ann/shop/cart.js", Line: 5, Function: "Object.<anonymous>", Causes: []string{"TypeError: Cannot read properties of undefined (reading '0')"}},
		"ts-type":            {Language: "javascript", Type: "TS2322", Message: "Type 'string' is not assignable to type 'number'.", File: "a.ts", Line: 2},
		"rust-type":          {Language: "rust", Type: "error E0308", Message: "mismatched types", File: "src/main.rs", Line: 3},
		"rust-index":         {Language: "rust", Type: "panic", Message: "index out of bounds: the len is 2 but the index is 2", File: "src/main.rs", Line: 1, Function: "main"},
		"java-nil":           {Language: "java", Type: "java.lang.IllegalStateException", Message: "cart cannot be shown", File: "Cart.java", Line: 3, Function: "Cart.length", Causes: []string{`java.lang.NullPointerException: Cannot invoke "String.length()" because "<parameter1>.name" is null`}},
		"java-type":          {Language: "java", Type: "compile", Message: "incompatible types: String cannot be converted to int", File: "Cart.java", Line: 2},
		"gcc-undefined":      {Language: "c", Type: "error", Message: "‘count’ undeclared (first use in this function)", File: "a.c", Line: 3, Function: "main"},
		"gcc-linker":         {Language: "c", Type: "link", Message: "undefined reference to `total'", File: "a.c", Function: "main"},
		"sh-command-missing": {Language: "shell", Type: "shell", Message: "protoc: not found", File: "build.sh", Line: 4},
		"make-rule":          {Language: "shell", Type: "make", Message: "No rule to make target 'gen/api.go', needed by 'build'.  Stop."},
		"git-dubious":        {Language: "git", Type: "fatal", Message: "detected dubious ownership in repository at '/home/ann/shop'"},
	} {
		list := reportOf(t, name).Errors
		require.NotEmpty(t, list, name)
		got := list[0]
		require.Equal(t, flow.Fingerprint(got.Type+": "+got.Message), got.Fingerprint, name)
		if want.Causes == nil {
			want.Causes = []string{}
		}
		if want.Language == "go" && want.Type == "test" {
			got.Causes = []string{}
		}
		got.Fingerprint, got.At, got.told = "", 0, nil
		require.Equal(t, want, got, name)
	}
}

// Errors are alike that differ in numbers, paths, addresses and quoted words; others are
// not.
func TestAlike(t *testing.T) {
	t.Parallel()
	first := Examine(Source{Name: "a", Task: "task-1", Text: []byte("./a.go:3:4: cannot use \"x\" (untyped string constant) as int value in argument to price\n")})
	second := Examine(Source{Name: "b", Task: "task-2", Text: []byte("./cmd/b.go:30:14: cannot use \"yy\" (untyped string constant) as int value in argument to price\n")})
	other := Examine(Source{Name: "c", Text: []byte("./a.go:3:4: undefined: price\n")})
	require.Equal(t, []Alike{{first.Errors[0].Fingerprint, first.Errors[0].Message, []string{"a", "b"}, []string{"task-1", "task-2"}}}, Compare([]Finding{first, second, other}))
	failed := Examine(Source{Name: "d", Error: "exit status 3"})
	require.Equal(t, flow.Fingerprint("exit status 5"), failed.Errors[0].Fingerprint, "as the rules count failures in a row")
}
