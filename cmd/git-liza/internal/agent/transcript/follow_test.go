package transcript_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"claude/denied":    "I push.\n> Bash: git push origin HEAD\n! denied: Bash: git push origin HEAD\nI could not push.\n",
		"claude/success":   "I look.\n> Bash: cat a.txt\nIt says hello.\n",
		"codex/success":    "! Model metadata for `standin` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.\nI look.\n> shell: /bin/bash -lc 'cat a.txt'\nIt says hello.\n",
		"copilot/denied":   "I push.\n> bash: git push origin HEAD\n! denied: bash: git push origin HEAD\nI could not push.\n",
		"codex/limited":    "! Model metadata for `gpt-5` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.\n! You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 6:42 PM.\n",
		"gemini/denied":    "I write.\n> write_file: b.txt\n! denied: write_file: b.txt\nI could not write.\n",
		"opencode/success": "I look.\n> bash: cat a.txt\nIt says hello.\n",
		"pi/success":       "I look.\n> bash: cat a.txt\nIt says hello.\n",
		"qwen/success":     "I look.\n> read_file: /home/me/project/a.txt\nIt says hello.\n",
	} {
		text, err := os.ReadFile("../../../../../testdata/transcripts/" + file + ".jsonl")
		require.NoError(t, err)
		folder, _, _ := strings.Cut(file, "/")
		tr := start(t, family(folder))
		var shown strings.Builder
		tr.Follow(&shown)
		_, _ = tr.Write(text)
		require.Equal(t, want, shown.String(), file)
		lines := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		require.Equal(t, lines[len(lines)-1], tr.Report().Say, file)
	}
}

func TestFollowPlain(t *testing.T) {
	t.Parallel()
	tr := start(t, "plain")
	var shown strings.Builder
	tr.Follow(&shown)
	_, _ = tr.Write([]byte("one\r\n\n  two\x1b[2J\nthree"))
	require.Equal(t, "one\n\n  two[2J\n", shown.String())
	r := tr.Report()
	require.Equal(t, "one\n\n  two[2J\nthree", r.Text)
	require.Equal(t, "two[2J", r.Say)
	require.Equal(t, transcript.Unmarked, r.End)
	_, _ = tr.Write([]byte(" four\n{}"))
	require.Equal(t, "one\n\n  two[2J\nthree four\n{}", tr.Report().Text)
	_, _ = tr.Write([]byte("five"))
	require.Equal(t, "one\n\n  two[2J\nthree four\n{}five", tr.Report().Text)
}

type broken struct{ writes int }

func (b *broken) Write([]byte) (int, error) {
	b.writes++
	return 0, errors.New("closed")
}

func TestFollowerThatGoesAway(t *testing.T) {
	t.Parallel()
	tr := start(t, "plain")
	w := &broken{}
	tr.Follow(w)
	n, err := tr.Write([]byte("one\ntwo\nthree\n"))
	require.NoError(t, err)
	require.Equal(t, 14, n)
	require.Equal(t, 1, w.writes)
	require.Equal(t, "one\ntwo\nthree", tr.Report().Text)
}

// codex counts over all resumptions of a thread, claude its cost only.
func TestMinus(t *testing.T) {
	t.Parallel()
	read := func(file string) transcript.Report {
		text, err := os.ReadFile("../../../../../testdata/transcripts/" + file + ".jsonl")
		require.NoError(t, err)
		folder, _, _ := strings.Cut(file, "/")
		return report(t, folder, string(text))
	}
	first, second := read("codex/success"), read("codex/resumed")
	require.Equal(t, first.Session, second.Session)
	require.Equal(t, board.Usage{Input: 4200, Cached: 1200, Output: 67}, second.Usage)
	require.Equal(t, board.Usage{Input: 1600, Cached: 400, Output: 23}, second.Minus(first.Usage).Usage)
	require.Equal(t, board.Usage{Input: 4200, Cached: 1200, Output: 67}, second.Usage, "the report itself stays")

	require.Equal(t, board.Usage{Input: 2600, Cached: 800, Output: 44, Cost: 8240}, read("claude/success").Usage)
	resumed := read("claude/resumed")
	require.Equal(t, board.Usage{Input: 1600, Cached: 400, Output: 23, Cost: 13_580}, resumed.Usage)
	require.Equal(t, board.Usage{Input: 1600, Cached: 400, Output: 23, Cost: 5340}, resumed.Minus(board.Usage{Cost: 8240}).Usage)

	require.Equal(t, first.Usage, first.Minus(second.Usage).Usage, "it began anew")
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, end := range []transcript.End{transcript.NoEnd, transcript.Succeeded, transcript.Failed, transcript.Unmarked} {
		text, err := end.MarshalText()
		require.NoError(t, err)
		var again transcript.End
		require.NoError(t, again.UnmarshalText(text))
		require.Equal(t, end, again)
	}
	var end transcript.End
	require.Error(t, end.UnmarshalText([]byte("well")))
	require.Equal(t, "end 9", transcript.End(9).String())
}
