package flow

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for dirty, clean := range map[string]string{
		"a":                         "a",
		"\n\n a\r\nb\rc \t\n":       "a\nb\nc",
		"a\x00b\x1b[31mc":           "ab[31mc",
		"a\u2028b\ufeffc\u0085d":    "abcd",
		"a\xffb":                    "a\uFFFDb",
		"\u00a0":                    "",
		"first\n\n  second\tcolumn": "first\n\n  second\tcolumn",
	} {
		require.Equal(t, clean, board.Clean(dirty), "%q", dirty)
	}
}

// odd are strings of the characters that give trouble.
func odd() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("ab \t\n\r\x00\x1b\u0085\u00a0\u2028\ufeff\uffff:#'\"-é😀")), 0, 40, -1)
}

func TestCleanTwiceIsCleanOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		once := board.Clean(odd().Draw(rt, "text") + string(rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(rt, "bytes")))
		require.Equal(rt, once, board.Clean(once))
	})
}

func TestExcerptKeepsBothEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringN(0, 300, -1).Draw(rt, "text")
		short := board.Excerpt(text, 60)
		require.LessOrEqual(rt, len(short), 60)
		require.Equal(rt, short, board.Clean(short))
		if whole := board.Clean(text); len(whole) <= 60 {
			require.Equal(rt, whole, short)
		}
	})
	require.Equal(t, "begi\n[…]\nend.", board.Excerpt("begi"+strings.Repeat("x", 100)+"end.", len("begi\n[…]\nend.")))
}

// Whatever somebody types, a normalised move is not refused for its texts.
func TestNormalizedMovesAreClean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := func() string { return odd().Draw(rt, "text") }
		list := []Detail{
			&AddMove{Tasks: []board.TaskInput{{ID: "a", Title: text(), DoneWhen: text(), Verify: text(), Owns: []string{text()}}}},
			&IntentMove{board.Intent{Summary: text(), Files: []string{text(), text()}}},
			&RejectMove{Feedback: board.Feedback{Blockers: []board.Finding{{Issue: text(), Why: text()}}, Overall: text()}},
			&AnomalyMove{Type: board.Workaround, Details: map[string]string{"a": text(), "b": text()}},
			&MergeMove{Receipts: []board.Receipt{{Output: text()}}},
			&AmendMove{Goal: &board.Goal{Title: text()}},
		}
		for _, d := range list {
			m := Move{Act: board.ActNote, By: "human:ann", At: dawn, Request: "0123456789abcdef", Detail: d}
			m.Normalize()
			require.Nil(rt, checkTexts(&m, 4096))
			before := dumped(m)
			m.Normalize()
			require.Equal(rt, before, dumped(m))
		}
	})
}

// A path that is not clean is refused by name: cleaned it would be another.
func TestNormalizeLeavesPaths(t *testing.T) {
	t.Parallel()
	m := Move{Act: board.ActSubmit, At: dawn, Detail: &SubmitMove{Paths: paths{"a ", "b\x01"}}}
	m.Normalize()
	require.Equal(t, paths{"a ", "b\x01"}, m.Detail.(*SubmitMove).Paths)
	require.Equal(t, RulePath, checkTexts(&m, 4096).Rule)
	m.Detail.(*SubmitMove).Paths = make(paths, board.MaxPaths+1)
	require.Equal(t, RuleLimit, checkTexts(&m, 4096).Rule)
}

// A refused path is named as git names it, with a command to paste.
func TestPathsThatDocumentsCannotHold(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		" lead":      {`" lead"`, `' lead'`},
		"trail ":     {`"trail "`, `'trail '`},
		"end\n":      {`"end\n"`, `$'end\n'`},
		"a\x1bb":     {`"a\033b"`, `$'a\033b'`},
		"lat\xe9":    {`"lat\351"`, `$'lat\351'`},
		"é'\\\"\xff": {`"é'\\\"\377"`, `$'é\'\\"\377'`},
		"\ufeffx":    {`"\357\273\277x"`, `$'\357\273\277x'`},
	} {
		m := Move{Act: board.ActSubmit, At: dawn, Detail: &SubmitMove{Paths: paths{"README", name}}}
		r := checkTexts(&m, 4096)
		require.NotNil(t, r, name)
		require.Equal(t, RulePath, r.Rule)
		require.Contains(t, r.Reason, " "+want[0]+":")
		require.Equal(t, "git mv -- "+want[1]+" NAME", r.Hint)
	}
	long := Move{Act: board.ActSubmit, At: dawn, Detail: &SubmitMove{Paths: paths{strings.Repeat("x", 4097)}}}
	require.Equal(t, RulePath, checkTexts(&long, 4096).Rule)
	for _, name := range []string{"a\tb", "a\nb", "d/ x", "é"} {
		m := Move{Act: board.ActSubmit, At: dawn, Detail: &SubmitMove{Paths: paths{name}}}
		require.Nil(t, checkTexts(&m, 4096), name)
	}
}

// Nothing is accepted that could not be written and read again.
func TestFormsOfFields(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	for name, c := range map[string]struct {
		rule   Rule
		detail Detail
	}{
		"an id that is none":          {RuleForm, &EditMove{Input: board.TaskInput{ID: "../x"}}},
		"an id in a list":             {RuleForm, &ArchiveMove{Tasks: []board.TaskID{"a", "-b"}}},
		"an empty id in a list":       {RuleForm, &ArchiveMove{Tasks: []board.TaskID{"a", ""}}},
		"a short object id":           {RuleForm, &ApproveMove{Commit: "abc"}},
		"an object id in capitals":    {RuleForm, &ApproveMove{Commit: board.ObjectID(strings.Repeat("A", 40))}},
		"a generation that is none":   {RuleForm, &RegisterMove{Agent: "coder-1", Generation: "x"}},
		"an unknown kind":             {RuleForm, &EditMove{Input: board.TaskInput{ID: "a", Kind: 9}}},
		"a role that is none, listed": {RuleForm, &PrincipalMove{Principal: board.Principal{Name: "a", Roles: []board.Role{""}}}},
		"a fraction of a second":      {RuleForm, &RenewMove{Lease: board.Duration(1500 * time.Millisecond)}},
		"a lease without end":         {RuleForm, &RenewMove{Lease: board.Duration(1 << 62)}},
		"a time in another zone":      {RuleForm, &SprintStartMove{Deadline: dawn.In(berlin)}},
		"a time with nanoseconds":     {RuleForm, &SprintStartMove{Deadline: dawn.Add(1)}},
		"a detail that is no name":    {RuleForm, &AnomalyMove{Details: map[string]string{"a b": "c"}}},
		"too many details":            {RuleLimit, &AmendMove{Anomaly: &board.Anomaly{Details: manyDetails(board.MaxList + 1)}}},
		"too many entries":            {RuleLimit, &BlockMove{Attempted: make([]string, board.MaxList+1)}},
		"too many tasks":              {RuleLimit, &AddMove{Tasks: make(inputs, board.MaxTasks+1)}},
		"too long a text":             {RuleText, &AlignMove{Text: strings.Repeat("x", 4097)}},
		"a control character":         {RuleText, &AlignMove{Text: "a\x1bb"}},
		"a blank at the end":          {RuleText, &AlignMove{Text: "a "}},
		"invalid UTF-8":               {RuleText, &AlignMove{Text: "a\xff"}},
	} {
		m := Move{Act: board.ActAlign, By: "human:ann", At: dawn, Request: "0123456789abcdef", Detail: c.detail}
		r := checkTexts(&m, 4096)
		require.NotNil(t, r, name)
		require.Equal(t, c.rule, r.Rule, "%s: %s", name, r.Reason)
	}
	long := Move{Act: board.ActAlign, By: "human:ann", At: dawn, Request: "0123456789abcdef", Detail: &AlignMove{Text: strings.Repeat("x", 4096)}}
	require.Nil(t, checkTexts(&long, 4096))
}

func manyDetails(n int) map[string]string {
	m := map[string]string{}
	for len(m) < n {
		m["k"+strings.Repeat("k", len(m))] = "v"
	}
	return m
}
