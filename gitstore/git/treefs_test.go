package git

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A tree is a file system like others; nothing of it leads anywhere else.
func TestTreeFS(t *testing.T) {
	t.Parallel()
	o := objectsOf(t, open(t, gittest.Seeded(t)))
	blob, err := o.WriteBlob([]byte("text\n"))
	require.NoError(t, err)
	below, err := o.WriteTree([]Entry{{ModeExecutable, "run", blob}, {ModeBlob, "z", blob}})
	require.NoError(t, err)
	entries := []Entry{{ModeTree, "a", below}, {ModeBlob, "a.txt", blob}, {ModeTree, "empty", o.repo.emptyTree()}}
	plain, err := o.WriteTree(entries)
	require.NoError(t, err)
	require.NoError(t, fstest.TestFS(o.FS(plain, 100), "a/run", "a/z", "a.txt", "empty"))

	odd, err := o.WriteTree(append(entries, Entry{ModeSymlink, "link", blob}, Entry{ModeSubmodule, "module", blob}))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	files := o.FS(odd, 4)
	list, err := fs.ReadDir(files, ".")
	require.NoError(t, err)
	modes := map[string]fs.FileMode{}
	for _, e := range list {
		modes[e.Name()] = e.Type()
	}
	require.Equal(t, map[string]fs.FileMode{"a": fs.ModeDir, "a.txt": 0, "empty": fs.ModeDir, "link": fs.ModeSymlink, "module": fs.ModeIrregular}, modes)
	info, err := fs.Stat(files, "a")
	require.NoError(t, err)
	require.True(t, info.IsDir())
	for _, name := range []string{"link", "module", "a.txt", "link/x", "gone", "a/../a.txt", "/a.txt"} { // a.txt is longer than the limit
		_, err := fs.ReadFile(files, name)
		require.Error(t, err, name)
	}
}

// A name that leads out of its folder would have a walk go round in circles.
func TestTreeFSRefusesBadNames(t *testing.T) {
	t.Parallel()
	o := objectsOf(t, open(t, gittest.Seeded(t)))
	for _, name := range []string{"..", ".", ".git", "a/b"} {
		raw := append([]byte("40000 "+name+"\x00"), make([]byte, 20)...)
		bad, err := o.Write("tree", raw)
		require.NoError(t, err)
		top, err := o.WriteTree([]Entry{{ModeTree, "below", bad}})
		require.NoError(t, err)
		seen := 0
		err = fs.WalkDir(o.FS(top, 100), ".", func(_ string, _ fs.DirEntry, err error) error {
			if seen++; seen > 10 {
				return errors.New("the walk goes on")
			}
			return err
		})
		require.ErrorContains(t, err, `no tree can hold the name "`+name+`"`)
	}
}
