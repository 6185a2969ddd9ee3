package worktrees_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What `git sparse-checkout` leaves out inside is no deletion: not for the status, for what is
// saved, or for a commit, after which git inside leaves it out too.
func TestLeftOutInside(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, options := range [][]string{{"--cone"}, {"--cone", "--sparse-index"}, {"--no-cone"}} {
		p := newProject(t)
		p.write("d/e", "three\n")
		p.base = p.commitAll(p.dir, "more")
		tree := p.branch("task-1", "liza/task-1")
		p.gitIn(tree.Path, append([]string{"sparse-checkout", "set", "b"}, options...)...)
		require.NoFileExists(t, filepath.Join(tree.Path, "d", "e"))
		p.whole("task-1", "liza/task-1", p.base)
		status, err := p.Contents.Status(ctx, tree.Path)
		require.NoError(t, err)
		require.Empty(t, status.Changed())
		saved, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
		require.NoError(t, err)
		require.Equal(t, p.base, saved)

		// What somebody deletes is deleted.
		require.NoError(t, os.Remove(filepath.Join(tree.Path, "b", "c")))
		status, err = p.Contents.Status(ctx, tree.Path)
		require.NoError(t, err)
		require.Equal(t, []string{"b/c"}, status.Changed())

		p.write(filepath.Join(tree.Path, "b", "new"), "x\n")
		saved, err = p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
		require.NoError(t, err)
		require.Equal(t, "D\tb/c\nA\tb/new", p.git("diff-tree", "-r", "--name-status", string(p.base), string(saved)))
		require.NoError(t, p.Contents.Commit(ctx, tree.Path, "work", nil))
		require.Equal(t, "D\tb/c\nA\tb/new", p.git("diff-tree", "-r", "--name-status", string(p.base), "liza/task-1"))
		require.Empty(t, p.gitIn(tree.Path, "status", "--porcelain"))
		require.NoFileExists(t, filepath.Join(tree.Path, "d", "e"))

		p.gitIn(tree.Path, "sparse-checkout", "disable")
		require.Equal(t, "three\n", content(t, tree.Path, "d", "e"))
		p.write(filepath.Join(tree.Path, "d", "e"), "changed\n")
		status, err = p.Contents.Status(ctx, tree.Path)
		require.NoError(t, err)
		require.Equal(t, []string{"d/e"}, status.Changed())
	}
}

// An index inside that is none, or that would block or fill the disk, leaves nothing out.
func TestNothingLeftOutByRuinedIndex(t *testing.T) {
	t.Parallel()
	for name, ruin := range map[string]func(index string) error{
		"gone":    os.Remove,
		"damaged": func(index string) error { return os.Truncate(index, 40) },
		"a pipe":  func(index string) error { return errors.Join(os.Remove(index), unix.Mkfifo(index, 0o666)) },
		"a link to a pipe": func(index string) error {
			return errors.Join(os.Remove(index), unix.Mkfifo(index+".pipe", 0o666), os.Symlink(index+".pipe", index))
		},
		"huge": func(index string) error { return os.Truncate(index, 1<<40) },
		"a link to what is huge": func(index string) error {
			return errors.Join(os.Rename(index, index+".huge"), os.Truncate(index+".huge", 1<<40), os.Symlink(index+".huge", index))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			p.gitIn(tree.Path, "sparse-checkout", "set", "--no-cone", "/a")
			require.NoError(t, ruin(filepath.Join(tree.Path, ".git", "index")))
			status, err := p.Contents.Status(context.Background(), tree.Path)
			require.NoError(t, err)
			require.Equal(t, []string{".gitignore", "b/c"}, status.Changed())
		})
	}
}
