package gitstore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Work before an intent is what was nowhere before, the newest first.
func TestEarlyFacts(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	d := newDesk(t, dir)
	tip := git.ID(gittest.Git(t, dir, "rev-parse", "HEAD"))
	start := d.commit(tip, "start.md", "1\n")
	begin := d.commit(start, "begin.md", "1\n")
	one := d.commit(begin, "one.md", "1\n")
	two := d.commit(one, "two.md", "1\n")
	early := func(intended, start, begin, tip git.ID) []git.ID {
		f, err := d.store.Commits.Facts(t.Context(), flow.Query{Intended: intended, Behind: []git.ID{start, begin}, Tip: tip})
		require.NoError(t, err)
		return f.Early
	}
	require.Empty(t, early(begin, start, begin, tip))
	require.Equal(t, []git.ID{two, one}, early(two, start, begin, tip))
	require.Equal(t, []git.ID{two}, early(two, start, begin, one), "integration has it")
	require.Equal(t, []git.ID{two}, early(two, one, begin, tip), "the attempt begins there")
	require.Empty(t, early(two, start, git.ID("0000000000000000000000000000000000000001"), tip), "the clone lacks it")

	// What is only rebased is no work, and neither is a merge.
	moved := d.commit(tip, "moved.md", "1\n")
	merge := git.ID(gittest.Git(t, dir, "commit-tree", string(moved)+"^{tree}", "-p", string(two), "-p", string(moved), "-m", "merge"))
	require.Equal(t, []git.ID{two, one}, early(merge, start, begin, moved))
	gittest.Git(t, dir, "update-ref", "refs/heads/liza/x", string(two))
	gittest.Git(t, dir, "switch", "-q", "liza/x")
	gittest.Git(t, dir, "rebase", "-q", string(moved))
	rebased := git.ID(gittest.Git(t, dir, "rev-parse", "HEAD"))
	require.NotEqual(t, two, rebased)
	require.Empty(t, early(rebased, start, two, moved))
	require.Len(t, early(rebased, start, one, moved), 1)

	// What is saved is none either, of whatever task.
	gittest.Git(t, dir, "update-ref", "refs/liza/saved/x/1", string(one))
	require.Equal(t, []git.ID{two}, early(two, start, begin, tip))
}
