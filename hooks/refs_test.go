package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNames: what a ref means depends on its name alone, and what stands in
// the way of a ref of ours is not foreign.
func TestNames(t *testing.T) {
	t.Parallel()
	j := new(pushState)
	for name, want := range map[string]kind{
		"refs/liza/state":                foreign + 1,
		"refs/heads/main":                foreign,
		"refs/tags/v1":                   tag,
		"refs/notes/commits":             foreign,
		"refs/heads/lizard":              foreign,
		"refs/heads/liza/task-1":         taskBranch,
		"refs/heads/liza":                unknown,
		"refs/heads/Liza/task-1":         unknown,
		"refs/heads/LIZA":                unknown,
		"refs/liza":                      unknown,
		"refs/liza/state/x":              unknown,
		"refs/liza/saved/task-1/1":       keptRef,
		"refs/liza/marks/sprint-1":       keptRef,
		"refs/liza/agents/coder-1":       presence,
		"refs/liza/sessions/coder-1/s":   sessionRef,
		"refs/liza/remote/origin/state":  private,
		"refs/liza/rescue/x":             private,
		"refs/liza/pins/task-1":          private,
		"refs/liza/unverified/snapshot":  unknown,
		"refs/liza/snapshots/0a":         unknown,
		"refs/liza/inbox/x":              unknown,
		"refs/Liza/state":                unknown,
		"refs/replace/" + hexes("a", 40): replacement,
		"refs/Replace/x":                 unknown,
	} {
		require.Equal(t, want, j.kindOf(name), name)
	}
}

func hexes(digit string, n int) string { return strings.Repeat(digit, n) }
