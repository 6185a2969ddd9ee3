package gitstore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestUnusableFiles: what another user's command has left in the way of moves is found,
// and what a group shares is not. Only root can give a file away: anybody else takes
// their own rights.
func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	const stranger, group = 65534, 4242
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	repo, err := git.Open(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	private := filepath.Join(dir, ".git", "liza")
	list, err := UnusableFiles(repo)
	require.NoError(t, err)
	require.Empty(t, list, "no move was made yet")

	lock, entry, free := filepath.Join(private, "move.lock"), filepath.Join(private, "waiting", "it's 1"), filepath.Join(private, "waiting", "2")
	for _, path := range []string{lock, entry, free} {
		gittest.Write(t, filepath.Dir(path), filepath.Base(path), "x\n")
		require.NoError(t, os.Chmod(path, 0o600))
	}
	list, err = UnusableFiles(repo)
	require.NoError(t, err)
	require.Empty(t, list)

	take, hint := func(path string) error { return os.Chmod(path, 0) }, "chmod u+rwX "
	if os.Geteuid() == 0 {
		take, hint = func(path string) error { return os.Chown(path, stranger, group) }, "sudo chown 0 "
	}
	require.NoError(t, take(lock))
	require.NoError(t, take(entry))
	list, err = UnusableFiles(repo)
	require.NoError(t, err)
	require.Equal(t, []UnusableFile{{lock, hint + lock}, {entry, hint + `'` + filepath.Dir(entry) + `/it'\''s 1'`}}, list)

	if os.Geteuid() != 0 {
		return
	}
	require.NoError(t, os.Chmod(lock, 0o660))
	list, err = UnusableFiles(repo)
	require.NoError(t, err)
	require.Len(t, list, 2, "of another group")
	require.NoError(t, os.Chown(filepath.Join(dir, ".git"), 0, group))
	list, err = UnusableFiles(repo)
	require.NoError(t, err)
	require.Equal(t, []UnusableFile{{entry, hint + `'` + filepath.Dir(entry) + `/it'\''s 1'`}}, list)
	require.NoError(t, os.Chown(filepath.Join(private, "waiting"), stranger, stranger))
	list, err = UnusableFiles(repo)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(private, "waiting"), list[0].Path, "nobody but root makes an entry there")
}
