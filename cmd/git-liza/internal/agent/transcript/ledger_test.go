package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// The files are those that claude 2.1.330, codex 0.169.0, copilot 1.0.102 and gemini 0.61.0 left
// of sessions of two, eleven, ten and four calls that were ended in the middle of the
// next; they are trimmed.
func TestLedgers(t *testing.T) {
	t.Parallel()
	want := map[string]board.Usage{
		"claude":  {Input: 2600, Cached: 800, Output: 42},
		"codex":   {Input: 24200, Cached: 4400, Output: 231},
		"copilot": {Input: 20000, Cached: 4000, Output: 210},
		"gemini":  {Input: 5600, Cached: 1600, Output: 84},
	}
	filled := map[string][2]int64{"claude": {1400, 0}, "codex": {3200, 258400}, "copilot": {2900, 128000}, "gemini": {1700, 0}}
	for _, family := range transcript.Ledgers() {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "testdata", "transcripts", "ledger", family+".log"))
		require.NoError(t, err)
		read := func(text string, since time.Time) transcript.Report {
			ledger, err := transcript.NewLedger(family, since)
			require.NoError(t, err)
			_, err = ledger.Write([]byte(text))
			require.NoError(t, err)
			return ledger.Report()
		}
		all := read(string(text), time.Time{})
		require.Equal(t, want[family], all.Usage, family)
		require.Zero(t, all.Garbage)
		require.Equal(t, filled[family], [2]int64{all.Filled, all.Window}, "%s: the context is that of the last call, and not a sum", family)
		require.Equal(t, want[family], read(string(text)+`{"type":"gemini","tokens":{"input"`, time.Time{}).Usage, "a record that is being written")

		// The usage of an earlier run is not counted, except by codex, which goes on
		// counting from it.
		earlier := want[family]
		if family != "codex" {
			earlier = board.Usage{}
		}
		require.Equal(t, earlier, read(string(text), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)).Usage, family)
		half := read(string(text[:strings.LastIndex(string(text), "\n{")]), time.Time{})
		require.LessOrEqual(t, half.Usage.Tokens(), all.Usage.Tokens(), family)
	}
	_, err := transcript.NewLedger("pi", time.Time{})
	require.Error(t, err)
}
