package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Many values of one key are added as git would add them, and nothing else changes.
func TestAddValues(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	gittest.Git(t, dir, "config", "liza.trust.allow", "aa")
	gittest.Git(t, dir, "config", "liza.trust.planner", "on")
	gittest.Git(t, dir, "config", "other.allow", "bb")
	require.NoError(t, os.MkdirAll(filepath.Join(r.CommonDir(), layout.Private), 0o777))
	mark := r.Config.MarkConfig()
	want := []string{"aa", "b1", "b2", "b3"}
	require.NoError(t, r.Config.AddValues(ctx, "liza.trust.allow", want[1:]...))
	require.NoError(t, r.Config.AddValues(ctx, "liza.trust.allow"))
	require.Equal(t, want, strings.Fields(gittest.Git(t, dir, "config", "--get-all", "liza.trust.allow")))
	require.Equal(t, "on", gittest.Git(t, dir, "config", "liza.trust.planner"))
	require.Equal(t, "bb", gittest.Git(t, dir, "config", "other.allow"))
	for _, value := range want[1:] {
		require.True(t, r.Config.WroteSince(mark)("liza.trust.allow", value), value)
	}

	path := filepath.Join(r.CommonDir(), "config")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.TrimSuffix(string(text), "\n")), 0o644))
	require.NoError(t, r.Config.AddValues(ctx, "liza.test.words", "x", "y"))
	require.Equal(t, []string{"x", "y"}, strings.Fields(gittest.Git(t, dir, "config", "--get-all", "liza.test.words")))
	gittest.NoLeftovers(t, r.CommonDir())
}
