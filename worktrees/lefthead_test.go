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

// The hint for a HEAD that names no commit brings the worktree back to what it had
// checked out, whatever other branches there are.
func TestLeftHead(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "zeros": strings.Repeat("0", 40) + "\n", "nothing": strings.Repeat("\x00", 40)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.git("branch", "aaa-first")
			tree := p.branch("task-1@2", "liza/task-1")
			p.write(filepath.Join(tree.Path, "new"), "x")
			work := p.commitAll(tree.Path, "work")
			mine := filepath.Join(t.TempDir(), "mine")
			p.git("worktree", "add", "-q", "--detach", mine)
			p.write(filepath.Join(mine, "own"), "y")
			own := p.commitAll(mine, "own work")

			p.write(filepath.Join(p.dir, ".git/worktrees/task-1@2/HEAD"), content)
			left := p.leftHead()
			if name == "zeros" {
				require.Equal(t, "names no commit, so git neither fetches nor collects garbage here", left.Text)
			} else {
				require.Equal(t, "names no commit, so git fails in that worktree, and git fsck in all", left.Text)
			}
			p.typed(left.Hint)
			p.whole("task-1@2", "liza/task-1", work)

			p.write(filepath.Join(p.dir, ".git/worktrees/mine/HEAD"), content)
			p.typed(p.leftHead().Hint)
			require.Equal(t, string(own), p.gitIn(mine, "rev-parse", "HEAD"))
			require.Empty(t, p.gitIn(mine, "status", "--porcelain"))
			p.git("fsck")
		})
	}
}

// A branch that another worktree has checked out, and a commit that the clone has lost, are
// passed over; where nothing says what was checked out, the files stay.
func TestLeftHeadWithoutBranch(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.gitIn(tree.Path, "checkout", "-q", "--detach")
	p.write(filepath.Join(tree.Path, "new"), "x")
	work := p.commitAll(tree.Path, "work")
	require.NoError(t, p.Take(context.Background(), "task-1"))
	lost := p.commitAll(tree.Path, "lost")
	require.NoError(t, p.Take(context.Background(), "task-1"))
	p.branch("task-1@2", "liza/task-1")
	p.write(filepath.Join(p.dir, ".git/worktrees/task-1/HEAD"), "")
	require.NoError(t, os.Remove(filepath.Join(p.dir, ".git/objects", string(lost[:2]), string(lost[2:]))))
	p.typed(p.leftHead().Hint)
	require.Contains(t, p.git("worktree", "list"), string(work[:7])+" (detached HEAD)")
	p.gitIn(tree.Path, "cat-file", "-e", string(lost)) // is still inside

	p.write(filepath.Join(p.dir, ".git/worktrees/task-1/HEAD"), "")
	require.NoError(t, os.Remove(filepath.Join(p.dir, ".git/worktrees/task-1/logs/HEAD")))
	p.typed(p.leftHead().Hint)
	require.FileExists(t, filepath.Join(tree.Path, "new"))
	require.NotContains(t, p.git("worktree", "list"), "task-1 ")
	_, err := p.Prune(context.Background(), func(string) bool { return true }) // its pin names what is lost
	require.NoError(t, err)
	_, err = p.tryIn(p.dir, "fsck", "--no-reflogs")
	require.NoError(t, err)
}
