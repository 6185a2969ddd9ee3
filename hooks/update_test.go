package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

// TestReadUpdates: a hook's input is read as git writes it, or not at all.
func TestReadUpdates(t *testing.T) {
	t.Parallel()
	zero, id := hexes("0", 40), hexes("a", 40)
	list, err := ReadUpdates(strings.NewReader(zero + " " + id + " refs/heads/a b\n" + id + " " + zero + " refs/tags/v\n"))
	require.NoError(t, err)
	require.Equal(t, []Update{{"refs/heads/a b", "", git.ID(id)}, {"refs/tags/v", git.ID(id), ""}}, list)
	_, err = ReadUpdates(strings.NewReader("nonsense\n"))
	require.Error(t, err)
	_, err = ReadUpdates(strings.NewReader(strings.Repeat("x", 2<<20)))
	require.Error(t, err)
}
