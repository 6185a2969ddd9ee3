package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A custom cause is found by its signs, and named beside the built-in ones.
func TestCustom(t *testing.T) {
	t.Parallel()
	custom := Custom{Title: "The house says no", Fix: "Ask.", Test: "house ask {WHAT}", Signs: []CustomSign{{Has: "House says", Form: `HOUSE SAYS NO to (\S+)`, Weight: "strong"}}}
	cause, err := custom.Cause("house-rule")
	require.NoError(t, err)
	text := []byte("checking\nerror: house says no to tabs\n")
	require.Empty(t, Read(text).Hypotheses)
	found := Read(text, cause).Hypotheses
	require.Len(t, found, 1)
	require.Equal(t, "house-rule", found[0].ID)
	require.Equal(t, "house ask tabs", found[0].Test)
	require.Empty(t, found[0].Cause.Steps)
}
