package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob string
		yes  string
		no   string
	}{
		{"a.go", "a.go", "b.go a.go/x x/a.go"},
		{"*.go", "a.go .go", "a/b.go a.goo"},
		{"src/*.go", "src/a.go", "src/a/b.go src"},
		{"src/", "src/a src/a/b", "src src2/a a/src/b"},
		{"src/**", "src/a src/a/b", "src a/src/b"},
		{"**", "a a/b", ""},
		{"**/a", "a x/a x/y/a", "x/b a/x"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "a/bb b a"},
		{"**/tests/**", "tests/a x/tests/a x/tests/y/a", "tests x/tests tests2/a"},
		{"**/*_test.*", "a_test.go x/y/b_test.py", "a_tests.go a_test"},
		{"**/test_*", "test_a x/test_b", "x/test_c/d atest_"},
		{"a?c/[x-z]", "abc/y", "ac/y abc/a abc/xy"},
		{"a**b", "ab axxb", "a/b"},
		{`a\*`, "a*", "ab"},
	} {
		for _, name := range strings.Fields(c.yes) {
			require.True(t, Match(c.glob, name), "%s should match %s", c.glob, name)
		}
		for _, name := range strings.Fields(c.no) {
			require.False(t, Match(c.glob, name), "%s should not match %s", c.glob, name)
		}
	}
}

func TestOverlapTellsApart(t *testing.T) {
	t.Parallel()
	for _, pair := range []string{
		"a b", "src/ doc/", "src/*.go src/*.md", "a* b*", "src/a src/a/b", "**/a b/c", "src/** src", "a/*/c a/b", "x/*.go x/y/*.go",
	} {
		a, b, _ := strings.Cut(pair, " ")
		require.False(t, Overlap(a, b), pair)
		require.False(t, Overlap(b, a), pair)
	}
	for _, pair := range []string{
		"a a", "src/ src/x/y", "** a", "a/**/z a/b/*", "*a b*", "[ab]x bx", "**/b a/**", "src/** src/**",
	} {
		a, b, _ := strings.Cut(pair, " ")
		require.True(t, Overlap(a, b), pair)
		require.True(t, Overlap(b, a), pair)
	}
}

// A path and a glob for it are made together: some characters and segments of
// the path give way to wildcards.
func globFor(rt *rapid.T, name string) string {
	var out []string
	for _, segment := range strings.Split(name, "/") {
		switch rapid.IntRange(0, 5).Draw(rt, "how") {
		case 0:
			out = append(out, "*")
		case 1:
			out = append(out, "**")
		case 2:
			i := rapid.IntRange(0, len(segment)-1).Draw(rt, "at")
			out = append(out, segment[:i]+"?"+segment[i+1:])
		case 3:
			i := rapid.IntRange(0, len(segment)-1).Draw(rt, "at")
			out = append(out, segment[:i]+"*"+segment[i+1:])
		case 4:
			i := rapid.IntRange(0, len(segment)-1).Draw(rt, "at")
			out = append(out, segment[:i]+"[a-c]"+segment[i+1:])
		default:
			out = append(out, segment)
		}
	}
	if last := len(out) - 1; last > 0 && rapid.Bool().Draw(rt, "folder") {
		out = append(out[:last], "")
	}
	return strings.Join(out, "/")
}

// Whatever two globs both match, they overlap in: the test may err only
// towards overlap.
func TestWhatTwoGlobsMatchTheyOverlapIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching(`[abc]{1,3}(/[abc]{1,3}){0,4}`).Draw(rt, "path")
		a, b := globFor(rt, name), globFor(rt, name)
		require.True(rt, Match(a, name), "%s was made for %s", a, name)
		require.True(rt, Match(b, name), "%s was made for %s", b, name)
		require.True(rt, Overlap(a, b), "%s and %s both match %s", a, b, name)
		require.True(rt, Overlap(b, a), "%s and %s both match %s", b, a, name)
		require.True(rt, Overlap(a, name), "%s matches %s", a, name)
		require.Nil(rt, checkGlobs([]string{a, b}, "git liza"))
	})
}

func TestPatternsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, glob := range []string{"", "/", "/a", "../a", "a/../b", "a//b", "./a", ".", "..", "a/.", "a[", `a\`, "a/[/b"} {
		r := checkGlobs([]string{glob}, "git liza")
		require.NotNil(t, r, "%q", glob)
		require.Equal(t, RuleForm, r.Rule)
	}
	require.Nil(t, checkGlobs([]string{"a", "a/", "**", "**/a", "a/**", ".github/", "a b/c", "ä/*"}, "git liza"))
}

// Hostile patterns cost no more than long ones.
func BenchmarkMatch(b *testing.B) {
	glob := strings.Repeat("**/a/", 20) + "b"
	name := strings.Repeat("a/", 60) + "c"
	for b.Loop() {
		if Match(glob, name) {
			b.Fatal("matched")
		}
	}
}
