package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
)

// The patterns of each row know what its command line really said when it was
// refused, in the words that a session's report has of it.
func TestTroubleOfRecordings(t *testing.T) {
	t.Parallel()
	kinds := map[string]provider.TroubleKind{
		"unauthorized": provider.Login, "nokey": provider.Login,
		"quota": provider.Quota, "limited": provider.Quota, "retrying": provider.Quota,
		"outage": provider.Outage, "unreachable": provider.Outage,
		"turns": 0, // its own limit is no trouble of the provider
	}
	files, err := filepath.Glob("../../../../../testdata/transcripts/*/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		kind, ok := kinds[strings.TrimSuffix(filepath.Base(file), ".jsonl")]
		if !ok {
			continue
		}
		row := provider.Builtin().FindRow(filepath.Base(filepath.Dir(file)))
		said, err := transcript.New(row.Output)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, _ = said.Write(text)
		got := row.FindTrouble(said.Report().Error, time.Now())
		if kind == 0 {
			require.Nil(t, got, file)
			continue
		}
		require.NotNil(t, got, "%s: %s", file, said.Report().Error)
		require.Equal(t, kind, got.Kind, "%s: %s", file, said.Report().Error)
	}
}
