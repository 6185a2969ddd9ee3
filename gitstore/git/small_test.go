package git

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// Only a regular file of bounded size is read, and nothing is waited for.
func TestReadSmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, text := range []string{"", "ref: refs/heads/main\n", strings.Repeat("x", maxSmall)} {
		require.NoError(t, os.WriteFile(at("file"), []byte(text), 0o666))
		require.NoError(t, os.RemoveAll(at("link")))
		require.NoError(t, os.Symlink("file", at("link")))
		for _, name := range []string{"file", "link"} {
			got, err := ReadSmall(at(name))
			require.NoError(t, err)
			require.Equal(t, text, string(got))
		}
	}
	require.NoError(t, os.WriteFile(at("file"), make([]byte, maxSmall+1), 0o666))
	_, err := ReadSmall(at("file"))
	require.EqualError(t, err, at("file")+" has more than 1048576 bytes")
	require.NoError(t, syscall.Mkfifo(at("fifo"), 0o600))
	_, err = ReadSmall(at("fifo"))
	require.EqualError(t, err, at("fifo")+" is no regular file")
	_, err = ReadSmall(dir)
	require.ErrorIs(t, err, syscall.EISDIR)
	_, err = ReadSmall(at("none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = ReadSmall(at("file/below"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
	if _, err := os.Stat("/proc/self/stat"); err == nil { // its size is not known before
		got, err := ReadSmall("/proc/self/stat")
		require.NoError(t, err)
		require.NotEmpty(t, got)
	}
}

// A path may have the characters of patterns in it.
func TestPathsWithPatterns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*?")
	require.NoError(t, os.CopyFS(dir, os.DirFS(gittest.Seeded(t))))
	r := open(t, dir)
	torn := ID(gittest.Git(t, dir, "hash-object", "-w", "--stdin"))
	path := loosePath(r.objectDir, torn)
	require.NoError(t, os.Chmod(path, 0o666))
	require.NoError(t, os.WriteFile(path, []byte("torn"), 0o666))
	files, err := r.TornObjects(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[ID]string{torn: path}, files)
	require.NoError(t, os.Truncate(path, 0))
	require.NoError(t, r.RemoveEmptyObjects())
	require.NoFileExists(t, path)

	packs := filepath.Join(r.objectDir, "pack")
	for _, name := range []string{"pack-2.pack", "pack-1.pack", "pack-1.idx", "pack-", "tmp_1"} {
		require.NoError(t, os.WriteFile(filepath.Join(packs, name), nil, 0o666))
	}
	require.Equal(t, []string{filepath.Join(packs, "pack-1.pack"), filepath.Join(packs, "pack-2.pack")}, PathsIn(packs, "pack-", ".pack"))
	require.Empty(t, PathsIn(filepath.Join(dir, "none"), "", ""))
	pipe := filepath.Join(r.objectDir, "ab")
	require.NoError(t, os.RemoveAll(pipe))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.Empty(t, PathsIn(pipe, "", ""), "it is not waited for")
}
