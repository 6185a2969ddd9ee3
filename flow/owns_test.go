package flow

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

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
		require.True(rt, glob.Match(a, name), "%s was made for %s", a, name)
		require.True(rt, glob.Match(b, name), "%s was made for %s", b, name)
		require.True(rt, glob.Overlap(a, b), "%s and %s both match %s", a, b, name)
		require.True(rt, glob.Overlap(b, a), "%s and %s both match %s", b, a, name)
		require.True(rt, glob.Overlap(a, name), "%s matches %s", a, name)
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

// The patterns of a task are bounded where it is written, not in history; what
// takes long to compare counts as an overlap where a move is made, and as none
// where it was admitted.
func TestOwnsAreBounded(t *testing.T) {
	t.Parallel()
	hostile := func(end string) []string {
		list := make([]string, board.MaxList)
		for i := range list {
			list[i] = "s/" + strings.Repeat("**/a/", 780) + end + strconv.Itoa(i)
		}
		return list
	}
	for name, owns := range map[string][]string{
		"segments": {strings.Repeat("a/", glob.MaxSegments) + "b"},
		"stars":    {strings.Repeat("**/a/", glob.MaxStars+1)},
		"bytes":    {strings.Repeat("a", glob.MaxBytes/2), strings.Repeat("b", glob.MaxBytes/2+1)},
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
			s.by("planner-1", board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{input}}),
			s.by("planner-1", board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{denying}}),
			s.by("planner-1", board.ActEdit, "a", &EditMove{Input: edited}),
			s.by("human:ann", board.ActImport, "", &ImportMove{Tasks: []board.TaskInput{input}}),
			s.by("planner-1", board.ActConvert, "", &ConvertMove{Input: input}),
			s.by("planner-1", board.ActSupersede, "a", &SupersedeMove{Add: []board.TaskInput{input}}),
			s.by("coder-1", board.ActIntent, "a", &IntentMove{Intent: board.Intent{Extend: owns, Tip: object("tip")}}),
			s.by("human:ann", board.ActConfig, "", &ConfigMove{Config: board.Config{Tests: owns}}),
		} {
			r := Admissible(s.board, m, nil)
			require.NotNil(t, r, "%s: %s", name, m.Act)
			require.Equal(t, RuleLimit, r.Rule)
		}
	}
	s := staged(t, "human:ann add a")
	input := s.board.Task("a").Input()
	for _, id := range []board.TaskID{"x", "y"} {
		input.ID, input.Owns = id, hostile(string(id))
		require.Nil(t, s.play(s.by("human:ann", board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{input}})), "history is what it is")
	}
	unchanged := s.board.Task("x").Input()
	unchanged.Title = "Another"
	require.Nil(t, Admissible(s.board, s.by("planner-1", board.ActEdit, "x", &EditMove{Input: unchanged}), nil))
	require.False(t, glob.Overlap(hostile("x")[0], hostile("y")[0]))
}

// worstOwns are globs within the bounds that take longest to compare with
// those of the other kind.
func worstOwns(one bool) []string {
	list := make([]string, board.MaxList)
	for i := range list {
		if list[i] = strings.Repeat("a/", glob.MaxSegments-1) + "e"; one {
			list[i] = "**/" + strings.Repeat("?*/", glob.MaxSegments/2-1) + "z/**/e"
		}
	}
	return list
}

// Two tasks with the worst globs that the rules let pass.
func BenchmarkWorstOwns(b *testing.B) {
	mine, theirs := glob.ParseAll(worstOwns(true)), glob.ParseAll(worstOwns(false))
	for b.Loop() {
		if _, _, ok := glob.FirstOverlap(mine, theirs, true, new(int)); ok {
			b.Fatal("overlapped")
		}
	}
}

// The best of 1,000 tasks with the worst globs beside a hundred in work.
func BenchmarkBestOfTheWorst(b *testing.B) {
	s := opened(b)
	var edits []board.Edit
	for i := range 1100 {
		id := board.TaskID("t" + strconv.Itoa(i))
		task := &board.Task{ID: id, Title: "T", Status: board.Unclaimed, Kind: board.Code, DoneWhen: "D", Spec: vision, Scope: "S", Priority: 3, Created: s.now, Owns: worstOwns(true)}
		if i >= 1000 {
			task.Status, task.Owns = board.ReadyForReview, worstOwns(false)
		}
		task.DependsOn = []board.TaskID{"gone"}
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(id)}, Document: task})
	}
	s.docs = s.docs.With(append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: "gone"}, Document: &board.Task{ID: "gone", Status: board.Merged}}))
	s.board = board.Open(s.docs, s.now)
	for i := range 1000 {
		edits[i].Document.(*board.Task).Owns[board.MaxList-1] = "*"
	}
	for b.Loop() {
		Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
	}
}

// Earlier programs compared paths byte by byte, and what they let pass stays.
func TestOwnersOfOneFile(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a owns=Readme.md | human:ann add b owns=README.md | coder-1 claim a")
	require.Equal(t, RuleOwnership, Opens(s.board, board.ActClaim, "b", Caller{By: "coder-2"}, s.now).Rule)
	claim := s.by("coder-2", board.ActClaim, "b", &ClaimMove{Lease: board.Duration(time.Minute)})
	require.Equal(t, "b owns README.md, which overlaps Readme.md of a (CLAIMED)", Admissible(s.board, claim, nil).Reason)
	require.Empty(t, s.step("coder-2 claim b", new(record)), "replay")
}
