package glob

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

// tableAlign is the plain dynamic programme that align is held against.
func tableAlign(a, b []string, same func(x, y string) bool) bool {
	below := make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		row := make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && a[i] == "**":
				row[j] = below[j] || j < len(b) && row[j+1]
			case j < len(b) && b[j] == "**":
				row[j] = row[j+1] || i < len(a) && below[j]
			case i < len(a) && j < len(b):
				row[j] = same(a[i], b[j]) && below[j+1]
			}
		}
		below = row
	}
	return below[0]
}

// However globs are compared, the answer is that of the table.
func TestComparisonOfGlobsIsThatOfTheTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		glob := rapid.StringMatching(`(\*\*|a|b|\*|a\*|\?)(/(\*\*|a|b|\*|a\*|\?)){0,9}`)
		a, b := glob.Draw(rt, "a"), glob.Draw(rt, "b")
		overlap := tableAlign(Segments(a), Segments(b), overlapSegment)
		if vast := Parse(a).Vast || Parse(b).Vast; !vast || overlap { // beyond the bounds it may err towards yes
			require.Equal(rt, overlap, Overlap(a, b), "%s and %s", a, b)
		}
		require.Equal(rt, tableAlign(Segments(a), strings.Split(b, "/"), matchSegment), Match(a, b), "%s of %s", b, a)
	})
}

// Paths that some file system takes for one file overlap.
func TestOverlappingFiles(t *testing.T) {
	t.Parallel()
	overlap := func(a, b string) bool {
		_, _, ok := FirstFileOverlap(ParseAll([]string{a}), ParseAll([]string{b}), true, new(int))
		return ok
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Readme.md", "README.md", true},
		{"Src/**", "src/a.go", true},
		{"caf\u00e9/a", "cafe\u0301/A", true},
		{"\u212a/x", "k/X", true}, // the sign for kelvin
		{`A\[B\].go`, `a\[b\].go`, true},
		{`A\[B\].go`, "ab.go", false},
		{"\u017f.md", "S.md", true}, // the long s
		{"\u0439", "\u0418\u0306", true},
		{"\u0439", "\u0438", false},
		{"[A-C].go", "A.go", true},
		{"[A-C].go", "a.go", false}, // another class
		{"x/?.go", "X/A.go", true},
		{"a\xff", "A\xff", false},
		{"a\xff", "a\xff", true},
		{"Readme.md", "README.mdx", false},
		{"docs/*.MD", "Docs/a.md", true},
	} {
		require.Equal(t, c.same, overlap(c.a, c.b), "%q %q", c.a, c.b)
		require.Equal(t, c.same, overlap(c.b, c.a), "%q %q", c.b, c.a)
	}
}

// What takes too long to compare gets the answer of the caller.
func TestDoubtfulOverlaps(t *testing.T) {
	t.Parallel()
	// Only one of two has **, and both are long: only a table could tell.
	long := strings.Repeat("*/", 2000)
	require.True(t, Parse("**/"+long[:2000]+"z").overlaps(Parse(long+"z"), true, new(int)))
	require.False(t, Parse("**/"+long[:2000]+"z").overlaps(Parse(long+"z"), false, new(int)))
	require.False(t, Parse("**/"+long[:2000]+"y").overlaps(Parse(long+"z"), true, new(int)))
}
