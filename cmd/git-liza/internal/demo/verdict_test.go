package demo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestVerdictNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		report Report
		ended  string
		want   string
	}{
		"all is well":       {Report{Tasks: map[string]string{"a": "MERGED", "b": "MERGED"}, Rejected: 1, FailedFit: 1}, "", ""},
		"not merged":        {Report{Tasks: map[string]string{"a": "MERGED", "b": "BLOCKED"}, Rejected: 1, FailedFit: 1}, "it ended", "not merged: b (BLOCKED); it ended"},
		"never planned":     {Report{}, "", "not merged: a (not on the board), b (not on the board)"},
		"no rejection":      {Report{Tasks: map[string]string{"a": "MERGED", "b": "MERGED"}, FailedFit: 1}, "", "no submission was rejected, which the demo is to show"},
		"no failed merge":   {Report{Tasks: map[string]string{"a": "MERGED", "b": "MERGED"}, Rejected: 1}, "", "no merge failed, which the demo is to show"},
		"supervisors ended": {Report{Tasks: map[string]string{"a": "MERGED", "b": "MERGED"}, Rejected: 1, FailedFit: 1}, "rush: no", "rush: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run{report: c.report, cast: []board.TaskID{"a", "b"}}
			require.Equal(t, c.want, r.missingParts(c.ended))
		})
	}
}

func TestOneLineIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", oneLine("a\n b\tc\n"))
	long := oneLine(strings.Repeat("ü", 200))
	require.Len(t, []rune(long), 100)
	require.Equal(t, "ü…", string([]rune(long)[98:]))
}

func TestComplaintIsWhatGitLizaSays(t *testing.T) {
	t.Parallel()
	require.Equal(t, "nothing can move", complaint("coder-1 waits\ngit-liza: nothing can move:\n  task-1\nhint: x\n"))
	require.Equal(t, "last", complaint("first\nlast\n"))
}
