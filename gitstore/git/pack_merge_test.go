package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// commitMany writes a commit with as many new files as a pack has objects at least.
func commitMany(t *testing.T, r *Repo, parent ID, name string) ID {
	t.Helper()
	o := objectsOf(t, r)
	var entries []Entry
	for i := range packLeast {
		blob, err := o.WriteBlob(fmt.Appendf(nil, "%s, file %d\n", name, i))
		require.NoError(t, err)
		entries = append(entries, Entry{ModeBlob, fmt.Sprintf("%04d", i), blob})
	}
	tree, err := o.WriteTree(entries)
	require.NoError(t, err)
	header := "tree " + string(tree) + "\n"
	if parent != "" {
		header += "parent " + string(parent) + "\n"
	}
	commit, err := o.WriteCommit([]byte(header + "author Ada <ada@example.org> 1768658760 +0000\ncommitter Ada <ada@example.org> 1768658760 +0000\n\n" + name))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	require.NoError(t, r.Refs.MoveRefs(context.Background(), []RefUpdate{{Name: "refs/heads/many", Old: parent, New: commit}}, "many"))
	return commit
}

func packsIn(t *testing.T, r *Repo) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.objectDir, "pack", "pack-*.pack"))
	require.NoError(t, err)
	return found
}

// packCommit makes a pack of a new commit, and merges.
func packCommit(t *testing.T, r *Repo, parent ID, name string) ID {
	t.Helper()
	ctx := context.Background()
	commit := commitMany(t, r, parent, name)
	done, err := r.Packer.Pack(ctx, parent, commit)
	require.NoError(t, err)
	require.True(t, done)
	require.NoError(t, r.Packer.Merge(ctx))
	return commit
}

func ownNames(t *testing.T, r *Repo) []string {
	t.Helper()
	own, err := r.Packer.listOwn()
	require.NoError(t, err)
	var names []string
	for _, k := range own {
		names = append(names, k.name)
	}
	return names
}

func TestPacksMergeAsTheyGrow(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	r := open(t, dir)
	users := packsIn(t, r)
	require.Len(t, users, 1)
	reader := objectsOf(t, open(t, dir))
	var commits []ID
	tip := ID("")
	for i := range 12 {
		tip = packCommit(t, r, tip, fmt.Sprint("part ", i))
		commits = append(commits, tip)
		_, err := reader.Commit(tip) // it opens the packs that there are now
		require.NoError(t, err)
		require.LessOrEqual(t, len(ownNames(t, r)), 3)
	}
	require.Equal(t, len(ownNames(t, r))+1, len(packsIn(t, r)))
	require.Contains(t, packsIn(t, r), users[0])
	for _, o := range []*Objects{reader, objectsOf(t, open(t, dir))} {
		for _, id := range commits {
			c, err := o.Commit(id)
			require.NoError(t, err)
			entries, err := o.Tree(c.Tree)
			require.NoError(t, err)
			_, _, err = o.Read(entries[packLeast-1].ID)
			require.NoError(t, err)
		}
	}
	gittest.Git(t, dir, "fsck", "--full", "--strict", "--no-dangling")
	require.Contains(t, gittest.Git(t, dir, "count-objects", "-v"), "\ngarbage: 0\n")
}

func TestFewObjectsMakeNoPack(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	o := objectsOf(t, r)
	few := commitOn(t, o, "", "src", "main.sh", "echo\n")
	require.NoError(t, o.Flush())
	done, err := r.Packer.Pack(context.Background(), "", few)
	require.NoError(t, err)
	require.False(t, done)
	require.Empty(t, packsIn(t, r))
	_, _, err = looseSize(r.objectDir, few)
	require.NoError(t, err)
}

// Packs that the user or git marked stay, and those that another index names.
func TestMergeLeavesWhatIsMarked(t *testing.T) {
	t.Parallel()
	for name, mark := range map[string]func(t *testing.T, dir, pack string){
		"keep":     func(t *testing.T, dir, pack string) { gittest.Write(t, dir, pack+".keep", "mine\n") },
		"promisor": func(t *testing.T, dir, pack string) { gittest.Write(t, dir, pack+".promisor", "") },
		"cruft":    func(t *testing.T, dir, pack string) { gittest.Write(t, dir, pack+".mtimes", "") },
		"midx":     func(t *testing.T, dir, _ string) { gittest.Git(t, dir, "multi-pack-index", "write") },
		"chain": func(t *testing.T, dir, _ string) {
			gittest.Write(t, dir, ".git/objects/pack/multi-pack-index.d/multi-pack-index-chain", "")
		},
		"no list": func(t *testing.T, dir, _ string) {
			require.NoError(t, os.Remove(filepath.Join(dir, ".git/liza/packs")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Seeded(t)
			r := open(t, dir)
			first := packCommit(t, r, "", "first")
			pack := ownNames(t, r)[0]
			mark(t, dir, ".git/objects/pack/pack-"+pack)
			packCommit(t, r, packCommit(t, r, first, "second"), "third")
			require.FileExists(t, filepath.Join(dir, ".git/objects/pack/pack-"+pack+".pack"))
			require.FileExists(t, filepath.Join(dir, ".git/objects/pack/pack-"+pack+".idx"))
		})
	}
}

// A pack that git put into an index of several after it was chosen stays.
func TestMergeLeavesWhatWasIndexedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	packCommit(t, r, "", "first")
	own, err := r.Packer.listOwn()
	require.NoError(t, err)
	require.Len(t, own, 1)
	gittest.Git(t, dir, "multi-pack-index", "write")
	require.NoError(t, r.Packer.removeMerged(own))
	require.FileExists(t, filepath.Join(dir, ".git/objects/pack/pack-"+own[0].name+".pack"))
	require.NoError(t, os.Remove(filepath.Join(dir, ".git/objects/pack/multi-pack-index")))
	require.NoError(t, r.Packer.removeMerged(own))
	require.NoFileExists(t, filepath.Join(dir, ".git/objects/pack/pack-"+own[0].name+".pack"))
}

// The user's limits count, with the user's own packs.
func TestMergeStaysBelowTheLimitOfPacks(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "gc.autoPackLimit", "3")
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	r := open(t, dir)
	tip := ID("")
	for i := range 6 {
		tip = packCommit(t, r, tip, fmt.Sprint("part ", i))
		require.Less(t, len(packsIn(t, r)), 3)
	}
	require.Equal(t, "", gittest.Git(t, dir, "gc", "--auto"))
	require.Len(t, packsIn(t, r), 2, "gc did nothing")
}

// What a crash leaves between two steps of a merge costs no object, and the next merge
// clears it away.
func TestMergeAfterACrash(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	ctx := context.Background()
	first := commitMany(t, r, "", "first")
	second := commitMany(t, r, first, "second")
	for _, pair := range [][2]ID{{"", first}, {first, second}} {
		done, err := r.Packer.Pack(ctx, pair[0], pair[1])
		require.NoError(t, err)
		require.True(t, done)
	}
	old := ownNames(t, r)
	require.Len(t, old, 2)
	_, err := r.Packer.makePack(ctx, fmt.Sprintf("pack-%s.pack\npack-%s.pack\n", old[0], old[1]), "--stdin-packs")
	require.NoError(t, err)
	require.NoError(t, os.Remove(r.Packer.packPath(old[0])+".idx"))
	gittest.Git(t, dir, "fsck", "--full", "--no-dangling")

	require.NoError(t, r.Packer.Merge(ctx))
	require.Contains(t, gittest.Git(t, dir, "count-objects", "-v"), "\ngarbage: 0\n")
	packCommit(t, r, second, "third")
	require.Len(t, ownNames(t, r), 1)
	require.Len(t, packsIn(t, r), 1)
	gittest.Git(t, dir, "fsck", "--full", "--no-dangling")
}

// A new pack that lacks an object of one that it should replace replaces nothing.
func TestMergeChecksBeforeItRemoves(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	first := packCommit(t, r, "", "first")
	ctx := context.Background()
	second := commitMany(t, r, first, "second")
	done, err := r.Packer.Pack(ctx, first, second)
	require.NoError(t, err)
	require.True(t, done)
	names := ownNames(t, r)
	objects, err := r.Packer.objectsOf(ctx, []ownPack{{name: names[1]}})
	require.NoError(t, err)
	require.Len(t, objects, packLeast+2)
	require.ErrorIs(t, r.Packer.checkMerged(ctx, names[:1], objects), ErrDamaged)
	require.NoError(t, r.Packer.checkMerged(ctx, names, objects))
}

func TestCountGrown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sizes []int64
		n     int
	}{
		{nil, 0}, {[]int64{500}, 0}, {[]int64{500, 600}, 2}, {[]int64{500, 1000}, 0}, {[]int64{500, 1000, 2900}, 3},
		{[]int64{500, 1000, 3000}, 0}, {[]int64{500, 500, 3000}, 2}, {[]int64{500, 500, 1900, 30000}, 3},
	} {
		var own []ownPack
		for _, size := range c.sizes {
			own = append(own, ownPack{objects: size})
		}
		require.Equal(t, c.n, countGrown(own), c.sizes)
	}
}

// A pack is made early if it helps: if many of the objects are ours, or git would begin before
// it is asked again.
func TestCrowded(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	made := 0
	for _, c := range []struct {
		folder, ours int // files in one of 256 folders
		crowded      bool
	}{
		{13, 3000, false}, {14, 600, false}, {14, 895, false}, {14, 896, true}, {20, 1200, false}, {23, 600, false},
		{24, 600, true}, {26, 600, true}, {27, 600, false}, {27, 1728, true},
	} {
		for ; made < c.folder; made++ {
			gittest.Write(t, dir, fmt.Sprintf(".git/objects/17/%038x", made), "")
		}
		require.Equal(t, c.crowded, r.Packer.Crowded(t.Context(), c.ours, 600), c)
	}
}
