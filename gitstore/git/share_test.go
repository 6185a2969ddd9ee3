package git

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharedMode(t *testing.T) {
	t.Parallel()
	for value, mode := range map[string]fs.FileMode{
		"": 0, "umask": 0, "false": 0, "0": 0, "nonsense": 0, "99999": 0,
		"group": 0o770, "true": 0o770, "1": 0o770, "all": 0o775, "World": 0o775, "2": 0o775,
		"0660": 0o770, "0640": 0o750, "0664": 0o775,
	} {
		require.Equal(t, mode, sharedMode(value), value)
	}
}
