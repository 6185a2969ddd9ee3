package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/worktrees"
)

// leftHead returns what is found about HEAD of the only worktree that has lost its own.
func (p *project) leftHead() worktrees.Leftover {
	p.t.Helper()
	found, err := p.Leftovers.List(context.Background())
	require.NoError(p.t, err)
	require.Len(p.t, found, 1)
	require.True(p.t, found[0].Harm)
	return found[0]
}

// A HEAD that names no commit is written again where we made the checkout, whatever other
// branches there are. The hint brings somebody's own worktree back to what it had checked out.
func TestLeftHead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, content := range map[string]string{"empty": "", "zeros": strings.Repeat("0", 40) + "\n", "nothing": strings.Repeat("\x00", 40)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.git("branch", "aaa-first")
			tree := p.branch("task-1@2", "liza/task-1")
			p.write(filepath.Join(tree.Path, "new"), "x")
			work := p.commitAll(tree.Path, "work")
			review, err := p.Detached(ctx, "review@task-1@1", p.base)
			require.NoError(t, err)
			lose := func(name string) {
				p.write(filepath.Join(p.dir, ".git/worktrees", name, "HEAD"), content)
				_, ok, err := p.Find(ctx, name)
				require.NoError(t, err)
				require.False(t, ok)
				found, err := p.Leftovers.List(ctx)
				require.NoError(t, err)
				require.Empty(t, found, "the claim mends it")
			}
			lose("task-1@2")
			p.branch("task-1@2", "liza/task-1")
			p.whole("task-1@2", "liza/task-1", work)
			lose("review@task-1@1")
			_, err = p.Detached(ctx, "review@task-1@1", p.base)
			require.NoError(t, err)
			require.Equal(t, review, p.whole("review@task-1@1", "", p.base))

			mine := filepath.Join(t.TempDir(), "mine")
			p.git("worktree", "add", "-q", "--detach", mine)
			p.write(filepath.Join(mine, "own"), "y")
			own := p.commitAll(mine, "own work")
			p.write(filepath.Join(p.dir, ".git/worktrees/mine/HEAD"), content)
			left := p.leftHead()
			require.Equal(t, "names no commit, so git fails in that worktree, and git fetch, gc or fsck in all", left.Text)
			p.typed(left.Hint)
			require.Equal(t, string(own), p.gitIn(mine, "rev-parse", "HEAD"))
			require.Empty(t, p.gitIn(mine, "status", "--porcelain"))
			p.git("fsck")
		})
	}
}

// A commit that the clone has lost is passed over; where nothing says what was checked out,
// the files stay.
func TestLeftHeadWithoutCommit(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	mine := filepath.Join(t.TempDir(), "mine")
	p.git("worktree", "add", "-q", "--detach", mine)
	p.write(filepath.Join(mine, "new"), "x")
	work := p.commitAll(mine, "work")
	lost := p.commitAll(mine, "lost")
	head := filepath.Join(p.dir, ".git/worktrees/mine/HEAD")
	p.write(head, "")
	require.NoError(t, os.Remove(filepath.Join(p.dir, ".git/objects", string(lost[:2]), string(lost[2:]))))
	p.typed(p.leftHead().Hint)
	require.Contains(t, p.git("worktree", "list"), string(work[:7])+" (detached HEAD)")

	p.write(head, "")
	require.NoError(t, os.Remove(filepath.Join(p.dir, ".git/worktrees/mine/logs/HEAD")))
	p.typed(p.leftHead().Hint)
	require.FileExists(t, filepath.Join(mine, "new"))
	require.NotContains(t, p.git("worktree", "list"), "mine")
	_, err := p.tryIn(p.dir, "fsck", "--no-reflogs")
	require.NoError(t, err)
}
