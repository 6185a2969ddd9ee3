package git

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// packable is a repository whose objects make deltas of every kind when they are packed:
// a text that changes step by step, folders, large and empty files, a tag.
func packable(tb testing.TB) (dir string) {
	dir = gittest.Seeded(tb)
	random := rand.New(rand.NewPCG(1, 2))
	var text []string
	for i := range 2000 {
		text = append(text, fmt.Sprintf("line %d %x", i, random.Uint64()))
	}
	for i := range 60 {
		text[random.IntN(len(text))] = fmt.Sprintf("changed %d", i)
		gittest.Write(tb, dir, "text", strings.Join(text, "\n"))
		gittest.Write(tb, dir, fmt.Sprintf("folder/%d", i), fmt.Sprint(i))
		gittest.Git(tb, dir, "add", ".")
		gittest.Git(tb, dir, "commit", "-q", "-m", fmt.Sprint("step ", i))
	}
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	gittest.Write(tb, dir, "noise", string(noise))
	gittest.Write(tb, dir, "zeros", strings.Repeat("\x00", 1<<20))
	gittest.Write(tb, dir, "empty", "")
	gittest.Git(tb, dir, "add", ".")
	gittest.Git(tb, dir, "commit", "-q", "-m", "files")
	gittest.Git(tb, dir, "tag", "-a", "-m", "a tag", "v1")
	return dir
}

// allObjects are the ids of a repository with kind and size, as git has them.
func allObjects(tb testing.TB, dir string) (ids []ID, facts map[ID]string) {
	facts = map[ID]string{}
	for line := range strings.Lines(gittest.Git(tb, dir, "cat-file", "--batch-all-objects", "--batch-check")) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		ids = append(ids, ID(id))
		facts[ID(id)] = rest
	}
	return ids, facts
}

// TestPackReader reads every object of packs of each form that git makes, and compares
// kind, size and content with git's.
func TestPackReader(t *testing.T) {
	t.Parallel()
	source := packable(t)
	for name, args := range map[string][]string{
		"offsets":         {"repack", "-q", "-a", "-d", "-f", "--depth=50"},
		"ids of bases":    {"-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f", "--depth=50"},
		"no deltas":       {"repack", "-q", "-a", "-d", "-f", "--depth=0"},
		"stored":          {"-c", "core.compression=0", "-c", "pack.compression=0", "repack", "-q", "-a", "-d", "-F"},
		"64-bit offsets":  {"-c", "pack.indexVersion=2", "repack", "-q", "-a", "-d", "-f"},
		"several packs":   {"repack", "-q", "-d"},
		"first index":     {"-c", "pack.indexVersion=1", "repack", "-q", "-a", "-d", "-f"},
		"long chains":     {"repack", "-q", "-a", "-d", "-f", "--depth=4000", "--window=100"},
		"several at once": {"repack", "-q", "-a", "-d", "-f", "--max-pack-size=1m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "copy")
			gittest.Git(t, source, "clone", "-q", "--no-hardlinks", "--no-local", ".", dir)
			if name == "several packs" {
				gittest.Git(t, dir, "repack", "-q", "-a", "-d")
				gittest.Write(t, dir, "text", "another")
				gittest.Git(t, dir, "commit", "-q", "-a", "-m", "another")
			}
			gittest.Git(t, dir, args...)
			if name == "64-bit offsets" {
				widenOffsets(t, dir)
			}
			ids, facts := allObjects(t, dir)
			p := &packs{dir: filepath.Join(dir, ".git", "objects")}
			defer p.close()
			for _, id := range ids {
				kind, data, ok := p.read(id, 1<<30)
				if name == "first index" {
					require.False(t, ok, "git is asked")
					continue
				}
				require.True(t, ok, "%s %s", id, facts[id])
				require.Equal(t, facts[id], fmt.Sprintf("%s %d", kind, len(data)))
				kind, n, ok := p.size(id)
				require.True(t, ok)
				require.Equal(t, facts[id], fmt.Sprintf("%s %d", kind, n))
				_, _, ok = p.read(id, int64(len(data))-1)
				require.False(t, ok, "one byte more than the limit")
			}
			_, _, ok := p.read(ID(strings.Repeat("0", 40)), 1<<30)
			require.False(t, ok)
		})
	}
}

// widenOffsets rewrites the index of the one pack so that all offsets stand in the table
// for packs of more than 2 GiB.
func widenOffsets(t *testing.T, dir string) {
	found, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.idx"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	raw, err := os.ReadFile(found[0])
	require.NoError(t, err)
	n := int(binary.BigEndian.Uint32(raw[idxNames-4:]))
	table := raw[idxNames+n*(idLen+4):][:n*4]
	var wide []byte
	for i := range n {
		wide = binary.BigEndian.AppendUint64(wide, uint64(binary.BigEndian.Uint32(table[4*i:])))
		binary.BigEndian.PutUint32(table[4*i:], 1<<31|uint32(i))
	}
	at := idxNames + n*(idLen+8)
	raw = append(append(append([]byte{}, raw[:at]...), wide...), raw[at:]...)
	require.NoError(t, os.Chmod(found[0], 0o666))
	require.NoError(t, os.WriteFile(found[0], raw, 0o666))
}

// TestDamagedPacks cuts and changes packs and indexes everywhere: what is read is what was
// written, or git is asked.
func TestDamagedPacks(t *testing.T) {
	t.Parallel()
	source := packable(t)
	gittest.Git(t, source, "repack", "-q", "-a", "-d", "-f", "--depth=50")
	ids, facts := allObjects(t, source)
	whole := readPack(t, source)
	random := rand.New(rand.NewPCG(3, 4))
	read, refused := 0, 0
	for round := range 300 {
		files := map[string][]byte{"idx": bytes.Clone(whole["idx"]), "pack": bytes.Clone(whole["pack"])}
		name := []string{"idx", "pack"}[round%2]
		switch at := random.IntN(len(files[name])); {
		case round%10 < 2:
			files[name] = files[name][:at]
		case round%10 < 4 && name == "idx":
			at = random.IntN(idxNames)
			files[name][at] ^= 1 << random.IntN(8)
		default:
			for range 20 {
				files[name][random.IntN(len(files[name]))] ^= 1 << random.IntN(8)
			}
		}
		p := writePack(t, files)
		for range 40 {
			id := ids[random.IntN(len(ids))]
			_, _, _ = p.size(id)
			kind, data, ok := p.read(id, 1<<30)
			if !ok {
				refused++
				continue
			}
			read++
			require.Equal(t, facts[id], fmt.Sprintf("%s %d", kind, len(data)))
			require.True(t, hasID(id, kind, data))
		}
		p.close()
	}
	require.Positive(t, read)
	require.Positive(t, refused)
}

func readPack(tb testing.TB, dir string) map[string][]byte {
	files := map[string][]byte{}
	for _, ext := range []string{"idx", "pack"} {
		found, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*."+ext))
		require.NoError(tb, err)
		require.Len(tb, found, 1)
		files[ext], err = os.ReadFile(found[0])
		require.NoError(tb, err)
	}
	return files
}

func writePack(tb testing.TB, files map[string][]byte) *packs {
	dir := tb.TempDir()
	require.NoError(tb, os.Mkdir(filepath.Join(dir, "pack"), 0o777))
	for ext, data := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, "pack", "pack-1."+ext), data, 0o666))
	}
	return &packs{dir: dir}
}

// FuzzPatchDelta applies deltas that nobody made.
func FuzzPatchDelta(f *testing.F) {
	f.Add([]byte("hello"), []byte("\x05\x03\x90\x03"))
	f.Add([]byte("hello"), []byte("\x05\x08\x91\x01\x04\x04abcd"))
	f.Fuzz(func(t *testing.T, from, delta []byte) {
		to, err := patchDelta(from, delta, 1<<20)
		if err == nil {
			_, rest, _ := deltaSize(delta)
			n, _, _ := deltaSize(rest)
			require.Len(t, to, int(n))
		}
	})
}

// TestPacksSideBySide reads from several goroutines while the packs are opened anew.
func TestPacksSideBySide(t *testing.T) {
	t.Parallel()
	dir := packable(t)
	gittest.Git(t, dir, "repack", "-q", "-a", "-d", "-f", "--depth=50")
	ids, facts := allObjects(t, dir)
	o := objectsOf(t, open(t, dir))
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(5, uint64(n)))
			for i := range 300 {
				id := ids[random.IntN(len(ids))]
				kind, data, err := o.Read(id)
				if err != nil || facts[id] != fmt.Sprintf("%s %d", kind, len(data)) {
					t.Errorf("%s is %s %d, not %s: %v", id, kind, len(data), facts[id], err)
				}
				if n == 0 && i%50 == 0 {
					o.packs.close()
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkPacked reads objects of a pack in process and through git.
func BenchmarkPacked(b *testing.B) {
	dir := packable(b)
	gittest.Git(b, dir, "repack", "-q", "-a", "-d", "-f", "--depth=50")
	ids, _ := allObjects(b, dir)
	for _, way := range []string{"in process", "git"} {
		b.Run(way, func(b *testing.B) {
			o := objectsOf(b, open(b, dir))
			o.plain = way != "git"
			for i := 0; b.Loop(); i++ {
				_, _, err := o.Read(ids[i%len(ids)])
				require.NoError(b, err)
			}
		})
	}
}
