package git

import (
	"bytes"
	"compress/zlib"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// An object's own file that is not what its header says is not read in process.
func TestLooseFiles(t *testing.T) {
	t.Parallel()
	dir, id := t.TempDir(), ID(strings.Repeat("a", 40))
	path := loosePath(dir, id)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o777))
	packed := func(text string) []byte {
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	good := packed("blob 4\x00text")
	long := strings.Repeat("t", 5000)
	for _, test := range []struct {
		name, kind, data string
		file             []byte
	}{
		{"whole", "blob", "text", good},
		{"empty content", "tree", "", packed("tree 0\x00")},
		{"long", "commit", long, packed("commit 5000\x00" + long)},
		{"empty file", "", "", nil},
		{"cut off", "", "", good[:len(good)-7]},
		{"without its checksum", "", "", good[:len(good)-1]},
		{"a wrong checksum", "", "", append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1)},
		{"no zlib", "", "", []byte("blob 4\x00text")},
		{"shorter than it says", "", "", packed("blob 5\x00text")},
		{"longer than it says", "", "", packed("blob 3\x00text")},
		{"much longer than it says", "", "", packed("blob 3\x00" + long)},
		{"another kind", "", "", packed("blub 4\x00text")},
		{"no size", "", "", packed("blob \x00text")},
		{"less than nothing", "", "", packed("blob -1\x00text")},
		{"more than there is", "", "", packed("blob 999999999999\x00text")},
		{"no end of the header", "", "", packed("blob 4text")},
	} {
		require.NoError(t, os.WriteFile(path, test.file, 0o644))
		kind, data, err := readLoose(dir, id, 1<<40)
		if test.kind == "" {
			require.Error(t, err, test.name)
			continue
		}
		require.NoError(t, err, test.name)
		require.Equal(t, test.kind+" "+test.data, kind+" "+string(data), test.name)
		kind, size, err := looseSize(dir, id)
		require.NoError(t, err, test.name)
		require.Equal(t, test.kind, kind)
		require.EqualValues(t, len(test.data), size)
	}
	require.NoError(t, os.WriteFile(path, packed("commit 5000\x00"+long), 0o644))
	for _, limit := range []int64{0, 10, 4999} {
		_, _, err := readLoose(dir, id, limit)
		require.EqualError(t, err, (&TooLarge{id, "commit", 5000, limit}).Error())
	}
}

// Git reads what is written with the compressor that objects share, whatever their sizes.
func TestSharedCompressor(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	o := objectsOf(t, open(t, dir))
	texts := []string{"", "a", strings.Repeat("a", 100000), strings.Repeat("row of a table\n", 3000), string(bytes.Repeat([]byte{0, 1, 2, 255}, 70000)), "b"}
	for _, text := range texts {
		_, err := o.WriteBlob([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, o.Flush())
	gittest.Git(t, dir, "fsck", "--strict")
	for _, text := range texts {
		id := o.repo.Hash("blob", []byte(text))
		_, data, err := open(t, dir).objectsForTest(t).Read(id)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
		out, err := o.repo.Git(t.Context(), "cat-file", "blob", string(id))
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
}
