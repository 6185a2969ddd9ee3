package diagnosis

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// leastRight is the share of the samples whose first cause has to be right. It was 247 of 248
// when this was written. The patterns were made from most of them, so that the share is
// lower on other outputs.
const leastRight = 0.99

// read is the report of a text.
func read(text string, more ...*Cause) Report { return Read(Source{Text: []byte(text)}, more...) }

// firstOf is the id of the first cause, none without one.
func firstOf(r Report) string {
	if len(r.Causes) == 0 {
		return "none"
	}
	return r.Causes[0].ID
}

// The first cause of most samples is right. Where it is not, there is none: no cause comes
// first that a text only mentions.
func TestSamples(t *testing.T) {
	t.Parallel()
	table, err := txtar.ParseFile("testdata/samples.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, table.Files)
	right := 0
	for _, s := range table.Files {
		want, _, _ := strings.Cut(s.Name, "/")
		require.True(t, want == "none" || isKnown(want), s.Name)
		got := firstOf(Read(Source{Text: s.Data}))
		if got == want {
			right++
			continue
		}
		t.Logf("%s: %s", s.Name, got)
		require.Equal(t, "none", got, s.Name)
	}
	t.Logf("%d of %d are right", right, len(table.Files))
	require.GreaterOrEqual(t, float64(right)/float64(len(table.Files)), leastRight)
}
