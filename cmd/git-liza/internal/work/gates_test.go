package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where there is nothing to run, git is not asked what may: a trust without a
// repository could not ask.
func TestNoGatesAskNothing(t *testing.T) {
	t.Parallel()
	require.NoError(t, new(Trust).CheckGates(t.Context(), nil))
}
