package board

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseFeedback(t *testing.T) {
	t.Parallel()
	got, err := ParseFeedback(`
- [blocker] src/a.go:12 — leaks a handle
  when the file is empty
  Why it matters: the demo
  runs out of them.
  Suggestion: close it
* [Concern] doc/b.md – stale
- [blocker] nothing is tested
Overall: close,
but not there.

Prior Feedback Status:
- RESOLVED: wrong name
- STILL_PRESENT: #2 slow
`)
	require.NoError(t, err)
	require.Equal(t, Feedback{
		Blockers: []Finding{
			{File: "src/a.go", Line: 12, Issue: "leaks a handle\nwhen the file is empty", Why: "the demo\nruns out of them.", Suggestion: "close it"},
			{Issue: "nothing is tested"},
		},
		Concerns: []Finding{{File: "doc/b.md", Issue: "stale"}},
		Prior:    []Prior{{"wrong name", Resolved}, {"#2 slow", StillPresent}},
		Overall:  "close,\nbut not there.",
	}, got)
}

func TestParseFeedbackNamesTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"this is bad":                      `line 1: "this is bad" belongs to no finding`,
		"- [blocker] a — b\n\n- [blocker]": "line 3: a finding says what the issue is",
		"- [blocker] a.go:3 —":             "line 1: a finding says what the issue is",
		"Overall: ok\nSuggestion: none":    `line 2: "suggestion" belongs to no finding`,
		"Prior Feedback Status:\nall fine": `line 2: "all fine" belongs to no finding`,
	} {
		_, err := ParseFeedback(text)
		require.ErrorContains(t, err, want, "%q", text)
	}
	none, err := ParseFeedback(" \n\n")
	require.NoError(t, err)
	require.Empty(t, none)
}

// A remark is a finding as compilers print it. Only people who type it mean it so: in
// a reason it may be what a compiler printed.
func TestParseRemarks(t *testing.T) {
	t.Parallel()
	const text = "src/a.go:12: leaks a handle\n  when empty\nb.md:3: Concern: stale\n- [concern] c — d\nc.go:1: blocker: no\nOverall: close"
	got, err := ParseRemarks(text)
	require.NoError(t, err)
	require.Equal(t, Feedback{
		Blockers: []Finding{{File: "src/a.go", Line: 12, Issue: "leaks a handle\nwhen empty"}, {File: "c.go", Line: 1, Issue: "no"}},
		Concerns: []Finding{{File: "b.md", Line: 3, Issue: "stale"}, {File: "c", Issue: "d"}},
		Overall:  "close",
	}, got)
	_, err = ParseRemarks("a.go:3: ")
	require.ErrorContains(t, err, "line 1: ")
	_, err = ParseFeedback(text)
	require.ErrorContains(t, err, `line 1: "src/a.go:12: leaks a handle" belongs to no finding`)
	got, err = ParseFeedback("- [blocker] a.go — does not compile\na.go:3: undefined: x")
	require.NoError(t, err)
	require.Equal(t, []Finding{{File: "a.go", Issue: "does not compile\na.go:3: undefined: x"}}, got.Blockers)
}

func TestWithOpen(t *testing.T) {
	t.Parallel()
	slow, wrong := Finding{Issue: "slow"}, Finding{Issue: "wrong"}
	last := &Rejection{Blockers: []Finding{slow, wrong}}
	prior := []Prior{{"1", Resolved}, {"2", StillPresent}}
	require.Equal(t, []Finding{wrong}, Feedback{Prior: prior}.WithOpen(last).Blockers)
	require.Equal(t, []Finding{slow}, Feedback{Blockers: []Finding{slow}, Prior: prior}.WithOpen(last).Blockers)
	require.Empty(t, Feedback{}.WithOpen(last).Blockers)
	require.Empty(t, Feedback{Prior: prior}.WithOpen(nil).Blockers)
}

// render writes feedback in the text form.
func render(f Feedback) string {
	var b strings.Builder
	b.WriteString("Overall: " + f.Overall + "\n")
	for kind, list := range map[string][]Finding{"blocker": f.Blockers, "concern": f.Concerns} {
		for _, one := range list {
			b.WriteString("- [" + kind + "] " + one.Issue + "\n")
			b.WriteString("Why: " + one.Why + "\nSuggestion: " + one.Suggestion + "\n")
		}
	}
	b.WriteString("Prior Feedback Status:\n")
	for _, p := range f.Prior {
		b.WriteString("- " + p.Status.String() + ": " + p.Finding + "\n")
	}
	return b.String()
}

// FuzzParseFeedback: no word of a reviewer is lost, and what is read can be
// part of a move.
func FuzzParseFeedback(f *testing.F) {
	f.Add("- [blocker] a.go:3 — leak\nWhy it matters: x\nSuggestion: y\nOverall: z\nPrior Feedback Status:\n- RESOLVED: w")
	f.Add("- [concern] a\r\n\r\n- [blocker] b — c")
	f.Add("Overall:\n- RESOLVED: a\nsuggestion: b")
	f.Add("- [blocker] a:99999999999999999999 - b")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseFeedback(text)
		if err != nil {
			require.Regexp(t, `^line \d+: `, err.Error())
			return
		}
		var kept strings.Builder
		for _, list := range [][]Finding{got.Blockers, got.Concerns} {
			for _, one := range list {
				require.NotEmpty(t, one.Issue)
				kept.WriteString(one.File + one.Issue + one.Why + one.Suggestion + "\n")
			}
		}
		for _, p := range got.Prior {
			require.NotZero(t, p.Status)
			kept.WriteString(p.Finding + "\n")
		}
		kept.WriteString(got.Overall)
		for _, line := range strings.Split(Clean(text), "\n") {
			if words := strings.Fields(line); len(words) > 0 && !strings.Contains(line, ":") && !strings.Contains(line, "]") {
				last := words[len(words)-1]
				require.Contains(t, kept.String(), last, "a word is lost")
			}
		}
		again, err := ParseFeedback(render(got))
		require.NoError(t, err, render(got))
		require.Len(t, again.Blockers, len(got.Blockers))
	})
}
