package flow

import (
	"strconv"
	"strings"
	"testing"
	"time"

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
		require.False(t, globsOverlap(a, b), pair)
		require.False(t, globsOverlap(b, a), pair)
	}
	for _, pair := range []string{
		"a a", "src/ src/x/y", "** a", "a/**/z a/b/*", "*a b*", "[ab]x bx", "**/b a/**", "src/** src/**",
	} {
		a, b, _ := strings.Cut(pair, " ")
		require.True(t, globsOverlap(a, b), pair)
		require.True(t, globsOverlap(b, a), pair)
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
		require.True(rt, globsOverlap(a, b), "%s and %s both match %s", a, b, name)
		require.True(rt, globsOverlap(b, a), "%s and %s both match %s", b, a, name)
		require.True(rt, globsOverlap(a, name), "%s matches %s", a, name)
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
		overlap := tableAlign(segments(a), segments(b), overlapSegment)
		if vast := parseGlob(a).vast || parseGlob(b).vast; !vast || overlap { // beyond the bounds it may err towards yes
			require.Equal(rt, overlap, globsOverlap(a, b), "%s and %s", a, b)
		}
		require.Equal(rt, tableAlign(segments(a), strings.Split(b, "/"), matchSegment), Match(a, b), "%s of %s", b, a)
	})
}

// The patterns of a task are bounded where it is written, not in history; what
// takes long to compare counts as an overlap where a move is made, and as none
// where it was admitted.
func TestOwnsAreBounded(t *testing.T) {
	t.Parallel()
	hostile := func(end string) []string {
		list := make([]string, MaxList)
		for i := range list {
			list[i] = "s/" + strings.Repeat("**/a/", 780) + end + strconv.Itoa(i)
		}
		return list
	}
	for name, owns := range map[string][]string{
		"segments": {strings.Repeat("a/", maxSegments) + "b"},
		"stars":    {strings.Repeat("**/a/", maxStars+1)},
		"bytes":    {strings.Repeat("a", maxGlobs/2), strings.Repeat("b", maxGlobs/2+1)},
		"all":      hostile("e"),
	} {
		s := staged(t, "human:ann add a")
		input := s.board.Task("a").Input()
		input.ID, input.Owns = "b", owns
		denying := input
		denying.Owns, denying.Denies = nil, owns
		edited := s.board.Task("a").Input()
		edited.Owns = owns
		for _, m := range []Move{
			s.by("planner-1", ActAdd, "", &AddMove{Tasks: []TaskInput{input}}),
			s.by("planner-1", ActAdd, "", &AddMove{Tasks: []TaskInput{denying}}),
			s.by("planner-1", ActEdit, "a", &EditMove{Input: edited}),
			s.by("human:ann", ActImport, "", &ImportMove{Tasks: []TaskInput{input}}),
			s.by("planner-1", ActConvert, "", &ConvertMove{Input: input}),
			s.by("planner-1", ActSupersede, "a", &SupersedeMove{Add: []TaskInput{input}}),
			s.by("coder-1", ActIntent, "a", &IntentMove{Intent: Intent{Extend: owns, Tip: object("tip")}}),
			s.by("human:ann", ActConfig, "", &ConfigMove{Config: Config{Tests: owns}}),
		} {
			r := s.board.Admissible(m, nil)
			require.NotNil(t, r, "%s: %s", name, m.Act)
			require.Equal(t, RuleLimit, r.Rule)
		}
	}
	s := staged(t, "human:ann add a")
	input := s.board.Task("a").Input()
	for _, id := range []TaskID{"x", "y"} {
		input.ID, input.Owns = id, hostile(string(id))
		require.Nil(t, s.play(s.by("human:ann", ActAdd, "", &AddMove{Tasks: []TaskInput{input}})), "history is what it is")
	}
	unchanged := s.board.Task("x").Input()
	unchanged.Title = "Another"
	require.Nil(t, s.board.Admissible(s.by("planner-1", ActEdit, "x", &EditMove{Input: unchanged}), nil))
	require.False(t, globsOverlap(hostile("x")[0], hostile("y")[0]))

	// Only one of two has **, and both are long: only a table could tell.
	long := strings.Repeat("*/", 2000)
	require.True(t, parseGlob("**/"+long[:2000]+"z").overlaps(parseGlob(long+"z"), true, new(int)))
	require.False(t, parseGlob("**/"+long[:2000]+"z").overlaps(parseGlob(long+"z"), false, new(int)))
	require.False(t, parseGlob("**/"+long[:2000]+"y").overlaps(parseGlob(long+"z"), true, new(int)))
}

// worstOwns are globs within the bounds that take longest to compare with
// those of the other kind.
func worstOwns(one bool) []string {
	list := make([]string, MaxList)
	for i := range list {
		if list[i] = strings.Repeat("a/", maxSegments-1) + "e"; one {
			list[i] = "**/" + strings.Repeat("?*/", maxSegments/2-1) + "z/**/e"
		}
	}
	return list
}

// Two tasks with the worst globs that the rules let pass.
func BenchmarkWorstOwns(b *testing.B) {
	mine, theirs := parseGlobs(worstOwns(true)), parseGlobs(worstOwns(false))
	for b.Loop() {
		if _, _, ok := overlapping(mine, theirs, true, new(int)); ok {
			b.Fatal("overlapped")
		}
	}
}

// The best of 1,000 tasks with the worst globs beside a hundred in work.
func BenchmarkBestOfTheWorst(b *testing.B) {
	s := opened(b)
	for i := range 1100 {
		id := TaskID("t" + strconv.Itoa(i))
		task := &Task{ID: id, Title: "T", Status: Unclaimed, Kind: Code, DoneWhen: "D", Spec: vision, Scope: "S", Priority: 3, Created: s.now, Owns: worstOwns(true)}
		if i >= 1000 {
			task.Status, task.Owns = ReadyForReview, worstOwns(false)
		}
		task.DependsOn = []TaskID{"gone"}
		s.docs.edits[Key{Tasks, string(id)}] = Edit{Key{Tasks, string(id)}, task}
	}
	s.docs.edits[Key{Tasks, "gone"}] = Edit{Key{Tasks, "gone"}, &Task{ID: "gone", Status: Merged}}
	s.board = Open(s.docs, s.now)
	for i := range 1000 {
		s.docs.edits[Key{Tasks, "t" + strconv.Itoa(i)}].Document.(*Task).Owns[MaxList-1] = "*"
	}
	for b.Loop() {
		s.board.Best(ActClaim, Caller{By: "coder-1"}, s.now, nil)
	}
}

// globsOverlap reports whether some path may match both globs. It may err only
// towards yes: two segments with wildcards are taken to overlap unless their
// literal beginnings or endings differ.
func globsOverlap(a, b string) bool { return parseGlob(a).overlaps(parseGlob(b), true, new(int)) }

// Paths that some file system takes for one file overlap, but for claims of a history, which
// earlier programs compared byte by byte.
func TestOverlappingFiles(t *testing.T) {
	t.Parallel()
	overlap := func(a, b string) bool {
		_, _, ok := overlappingFiles(parseGlobs([]string{a}), parseGlobs([]string{b}), true, new(int))
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

	s := staged(t, "human:ann add a owns=Readme.md | human:ann add b owns=README.md | coder-1 claim a")
	require.Equal(t, RuleOwnership, s.board.Opens(ActClaim, "b", Caller{By: "coder-2"}, s.now).Rule)
	claim := s.by("coder-2", ActClaim, "b", &ClaimMove{Lease: Duration(time.Minute)})
	require.Equal(t, "b owns README.md, which overlaps Readme.md of a (CLAIMED)", s.board.Admissible(claim, nil).Reason)
	require.Empty(t, s.step("coder-2 claim b", new(record)), "replay")
}
