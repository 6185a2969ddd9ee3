package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Three files in two packages: top uses low and middle, middle uses low, and low uses top.
func TestArrowsAreCounted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"a/low.go":    "package a\n\ntype Low struct{ n int }\n\nfunc (Low) again() int { return Top{}.rank() }\n",
		"a/middle.go": "package a\n\nfunc Middle(l Low) int { n := l.n; return n }\n",
		"a/top.go":    "package a\n\ntype Top struct{}\n\nfunc (Top) rank() int { return Middle(Low{}) }\n",
		"b/user.go":   "package b\n\nimport \"m/a\"\n\nvar Used = a.Middle(a.Low{})\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o666))
	}
	found, err := read(root, []string{"a", "b"})
	require.NoError(t, err)
	require.Equal(t, uses{
		"a/low.go":    {"a/top.go": true},
		"a/middle.go": {"a/low.go": true},
		"a/top.go":    {"a/low.go": true, "a/middle.go": true},
		"b/user.go":   {"a/low.go": true, "a/middle.go": true},
	}, found)
	placed := order(found)
	require.Equal(t, []string{"a/low.go", "a/middle.go", "a/top.go", "b/user.go"}, placed)
	all, up := count(found, placed)
	require.Equal(t, 6, all)
	require.Equal(t, 1, up, "low uses top")
	var shown strings.Builder
	require.NoError(t, show(&shown, root, []string{"a,b"}, true))
	require.Contains(t, shown.String(), "  a/low.go\ta/top.go\n")
}

func TestPackagesThatAreNotThere(t *testing.T) {
	t.Parallel()
	require.Error(t, show(new(strings.Builder), t.TempDir(), []string{"none"}, false))
}
