package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

func TestWriteTreeRefuses(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		o := objectsOf(t, open(t, gittest.Seeded(t, "--object-format="+format)))
		blob, err := o.WriteBlob(nil)
		require.NoError(t, err)
		for _, name := range []string{"", ".", "..", ".git", ".GIT", "a/b", "a\x00b"} {
			_, err := o.WriteTree([]Entry{{ModeBlob, name, blob}})
			require.Error(t, err, "%q", name)
		}
		_, err = o.WriteTree([]Entry{{ModeBlob, "a", blob}, {ModeBlob, "b", blob}, {ModeTree, "a", blob}})
		require.ErrorContains(t, err, "twice")
		_, err = o.WriteTree([]Entry{{ModeBlob, "a", "1234"}})
		require.Error(t, err)
		_, _, err = o.Read("1234")
		require.ErrorIs(t, err, ErrNoObject)
		_, err = o.Tree(blob)
		require.ErrorContains(t, err, "is a blob, not a tree")
		empty, err := o.Tree(o.repo.emptyTree())
		require.NoError(t, err)
		require.Empty(t, empty)
	}
}

func TestDamagedTrees(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("h", 20)
	for _, raw := range []string{"100644", "100644 a", "100644 a\x00short", "x a\x00" + hash, "\x00 " + hash, "100644 a\x00" + hash + "4"} {
		_, err := ParseTree([]byte(raw), 20)
		require.Error(t, err, "%q", raw)
	}
}

func TestDamagedCommits(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "\n\n", "parent x\n\nm", "tree x\nauthor y\n\nm", "tree x\nauthor y <z> later +0000\n\nm", "tree x\nauthor y <z> 1 zone\n\nm",
		"tree\n\nm", "author y <z> 1 +0000\ntree x\n\nm", "tree x\ntree y\n\nm", "tree x\nauthor y <z> 1 +0000\ntree y\n\nm",
		"tree x\nparent y\nauthor y <z> 1 +0000\nparent z\n\nm"} {
		_, err := ParseCommit([]byte(raw))
		require.Error(t, err, "%q", raw)
	}
	c, err := ParseCommit([]byte("tree x\nauthor A <a<b>c> 1 +0000\ncommitter <> 2 -0130\ngpgsig -----\n author B <b> 3 +0000\n\nm\n\nn"))
	require.NoError(t, err)
	require.Equal(t, "A a<b>c", c.Author+" "+c.AuthorEmail)
	require.Equal(t, "m\n\nn", c.Message)
}

// A damaged file of a packed object is no harm; of another one an error.
func TestDamagedObject(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	o := objectsOf(t, r)
	id, err := o.WriteBlob([]byte("text"))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	path := loosePath(r.objectDir, id)
	require.NoError(t, os.Chmod(path, 0o666))
	require.NoError(t, os.WriteFile(path, []byte("x\x9cgarbage"), 0o666))
	_, _, err = o.Read(id)
	require.Error(t, err)
	_, _, err = o.Read(id)
	require.Error(t, err, "the process that read it is started again")

	// An empty file that a power cut left behind is written anew.
	require.NoError(t, os.WriteFile(path, nil, 0o666))
	_, err = o.WriteBlob([]byte("text"))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	_, data, err := open(t, dir).objectsForTest(t).Read(id)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}

func (r *Repo) objectsForTest(t *testing.T) *Objects { return objectsOf(t, r) }

func TestFlushKeepsOldObjectsFromPrune(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	o := objectsOf(t, r)
	id, err := o.WriteBlob([]byte("unreferenced"))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	path := loosePath(r.objectDir, id)
	old := time.Now().Add(-24 * time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	_, err = o.WriteBlob([]byte("unreferenced"))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	gittest.Git(t, dir, "prune", "--expire=1.hour.ago")
	require.FileExists(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o444), info.Mode().Perm()|0o044&0o444)
}

func TestFsyncModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"batch", "all", "none", "sometimes"} {
		dir := gittest.Seeded(t)
		gittest.Git(t, dir, "config", "liza.fsync", mode)
		o := objectsOf(t, open(t, dir))
		for _, text := range []string{"a", "b"} {
			_, err := o.WriteBlob([]byte(text))
			require.NoError(t, err)
		}
		err := o.Flush()
		if mode == "sometimes" {
			require.ErrorContains(t, err, "batch, all or none")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "a", gittest.Git(t, dir, "cat-file", "-p", string(o.repo.Hash("blob", []byte("a")))))
	}
}

// A pre-receive hook sees pushed objects in a quarantine only.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	objects := filepath.Join(dir, ".git", "objects")
	quarantine := t.TempDir()
	blob := bytes.Repeat([]byte("q"), 100)
	env := []string{"GIT_OBJECT_DIRECTORY=" + quarantine, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	out := runChild(t, "quarantine", env, dir, string(blob))
	require.Equal(t, "commit\nblob\n", out)
	id := open(t, dir).Hash("blob", blob)
	require.FileExists(t, loosePath(quarantine, id))
	require.NoFileExists(t, loosePath(objects, id))
}

// A reader that has opened the packs survives a repack beside it.
func TestPacksChangeBesideAReader(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	r, ctx := open(t, dir), context.Background()
	o := objectsOf(t, r)
	first, err := r.Refs.Resolve(ctx, "HEAD")
	require.NoError(t, err)
	_, err = o.Commit(first)
	require.NoError(t, err)
	require.Len(t, o.packs.list, 1)
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	gittest.Git(t, dir, "repack", "-q", "-a", "-d")
	for range 2 {
		head, err := r.Refs.Resolve(ctx, "HEAD")
		require.NoError(t, err)
		c, err := o.Commit(head)
		require.NoError(t, err)
		require.Equal(t, "second\n", c.Message)
		_, err = o.Tree(c.Tree)
		require.NoError(t, err)
		_, err = o.Commit(first)
		require.NoError(t, err)
	}
}
