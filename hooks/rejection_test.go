package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// TestLines: what a push can put into a line cannot make it two, nor long.
func TestLines(t *testing.T) {
	t.Parallel()
	r := &Rejection{[]Refused{{"refs/heads/x", refusal(RuleRef, "git liza help", "a \x1b[31mred\nline\r\u202e\ufe0f%s", strings.Repeat("é", 2000))}}}
	require.NotContains(t, r.Error(), "\n")
	require.NotContains(t, r.Error(), "\x1b")
	require.Contains(t, r.Error(), "line <U+202E><U+FE0F>é")
	require.Less(t, len(r.Error()), maxLine+50)
	require.True(t, strings.HasSuffix(r.Error(), "; type: git liza help"))
}

func rule(t *testing.T, err error) flow.Rule {
	t.Helper()
	var rejection *Rejection
	require.ErrorAs(t, err, &rejection)
	require.Len(t, rejection.Refused, 1, err)
	return rejection.Refused[0].Rule
}
