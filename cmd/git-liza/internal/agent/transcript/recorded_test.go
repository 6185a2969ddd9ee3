package transcript_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
)

var update = flag.Bool("update", false, "write the reports in testdata/transcripts instead of comparing with them")

// family is that of the records in a folder of testdata/transcripts, which is named by the
// command line that made them.
func family(folder string) string {
	if folder == "qwen" {
		return "claude"
	}
	return folder
}

func start(t testing.TB, family string) *transcript.Transcript {
	t.Helper()
	tr, err := transcript.New(family)
	require.NoError(t, err)
	return tr
}

func report(t testing.TB, family, text string) transcript.Report {
	t.Helper()
	tr := start(t, family)
	n, err := tr.Write([]byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	return tr.Report()
}

// recordings are what the real command lines printed, with the reports that they
// make beside them: claude 2.1.330, codex 0.169.0, copilot 1.0.102, gemini
// 0.61.0, opencode 1.18.33, pi 0.73.1 and qwen 0.15.10, each with a server on
// loopback in the place of its model, which answered, refused or hung. They are
// trimmed, and without what belongs to the machine; copilot was used with a
// provider of its user's own, so what GitHub's service adds is not in them.
func recordings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../../../../testdata/transcripts/*/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"plain": true} // it has no records
	for _, file := range recordings(t) {
		folder := filepath.Base(filepath.Dir(file))
		seen[family(folder)] = true
		t.Run(folder+" "+strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			got := report(t, family(folder), string(text))
			golden := strings.TrimSuffix(file, "l")
			if *update {
				out, err := json.MarshalIndent(got, "", " ")
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(golden, append(out, '\n'), 0o666))
			}
			raw, err := os.ReadFile(golden)
			require.NoError(t, err)
			var want transcript.Report
			require.NoError(t, json.Unmarshal(raw, &want))
			require.Equal(t, want, got)
			require.Zero(t, got.Garbage)
		})
	}
	for _, name := range transcript.Families() {
		require.True(t, seen[name], "there is no recording of "+name)
	}
}

// How the bytes come does not matter, nor how lines end, nor that the last one
// does not.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, file := range recordings(t) {
		family := family(filepath.Base(filepath.Dir(file)))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		want := report(t, family, string(text))
		for how, r := range map[string]io.Reader{
			"bytes":  iotest.OneByteReader(bytes.NewReader(text)),
			"halves": iotest.HalfReader(bytes.NewReader(text)),
			"CRLF":   bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))),
			"no end": bytes.NewReader(bytes.TrimSuffix(text, []byte("\n"))),
			"blanks": bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\n\n \n"))),
		} {
			tr := start(t, family)
			_, err := io.Copy(tr, r)
			require.NoError(t, err)
			require.Equal(t, want, tr.Report(), "%s %s", file, how)
		}
	}
}

// A report may be asked for at any time: what comes after is read as if it had
// not been.
func TestReportInBetween(t *testing.T) {
	t.Parallel()
	for _, file := range recordings(t) {
		family := family(filepath.Base(filepath.Dir(file)))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tr := start(t, family)
		for part := range bytes.SplitSeq(text, []byte("}")) {
			_, _ = tr.Write(append(bytes.Clone(part), '}'))
			tr.Report()
		}
		want := report(t, family, string(text)+"}")
		require.Equal(t, want, tr.Report(), file)
	}
}

func TestReportInTheMiddleOfGarbage(t *testing.T) {
	t.Parallel()
	tr := start(t, "codex")
	_, _ = tr.Write([]byte("1"))
	require.Zero(t, tr.Report().Garbage)
	_, _ = tr.Write([]byte("2\n"))
	require.Equal(t, 1, tr.Report().Garbage)
}
