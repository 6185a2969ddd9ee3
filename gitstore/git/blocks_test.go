package git

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that is read in blocks has at each place what it has without them, also where not
// all blocks fit and several files share them.
func TestReadInBlocks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	c := &blockCache{}
	var files []blockFile
	for _, length := range []int{100, 3*blockSize + 7, (blocksKept+2)*blockSize + 100} {
		text := make([]byte, length)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		files = append(files, c.add(f, int64(length), true))
		require.Equal(t, length > blocksKept*blockSize, c.add(f, int64(length), false).cache == nil, "without order only where all are kept")
	}
	for range 3000 {
		f := files[random.IntN(len(files))]
		info, err := f.Stat()
		require.NoError(t, err)
		offset, n := random.Int64N(info.Size()+10), random.IntN(3*blockSize)
		want, got := make([]byte, n), make([]byte, n)
		wantN, wantErr := f.File.ReadAt(want, offset)
		gotN, gotErr := f.ReadAt(got, offset)
		require.Equal(t, wantErr, gotErr)
		require.Equal(t, wantN, gotN)
		require.True(t, string(want) == string(got), "%d bytes at %d of %s", n, offset, f.Name())
	}
}
