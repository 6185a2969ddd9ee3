package spelling

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"lease", "review_lease", "limits.iterations", ""}
	for mistyped, want := range map[string]string{"leese": "lease", "reviewlease": "review_lease", "limits.iteration": "limits.iterations",
		"lease": "lease", "patience": "", "review": "review_lease", "le": "", "": "", "limits.patience": ""} {
		require.Equal(t, want, Nearest(mistyped, words), mistyped)
	}
}
