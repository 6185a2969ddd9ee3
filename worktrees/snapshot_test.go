package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

func TestSnapshot(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.NoError(t, err)
	require.Equal(t, p.base, id, "clean: the tip")

	file := func(name string) string { return filepath.Join(tree.Path, name) }
	p.write(file("staged"), "staged\n")
	p.gitIn(tree.Path, "add", "staged")
	p.write(file("a"), "changed\n")
	require.NoError(t, os.RemoveAll(file("b")))
	p.write(file("b"), "a file where a folder was\n")
	p.write(file("new/ü \n name"), "untracked\n")
	p.write(file("run"), "#!/bin/sh\n")
	require.NoError(t, os.Chmod(file("run"), 0o755))
	require.NoError(t, os.Symlink("nowhere", file("link")))
	p.write(file("ignored.o"), "x")
	status, index := p.gitIn(tree.Path, "status", "--porcelain"), content(t, p.dir, ".git/worktrees/task-1/index")
	refs := p.otherRefs()

	id, err = p.Contents.Snapshot(ctx, tree.Path, "saved\n\nfor later", nil)
	require.NoError(t, err)
	require.Equal(t, string(p.base), p.git("rev-parse", string(id)+"^@"))
	require.Equal(t, "saved\n\nfor later", p.git("log", "-1", "--format=%B", string(id)))
	require.Equal(t, `100644 .gitignore
100644 a
100644 b
120000 link
100644 "new/\303\274 \n name"
100755 run
100644 staged`, p.git("ls-tree", "-r", "--format=%(objectmode) %(path)", string(id)))
	require.Equal(t, "changed", p.git("show", string(id)+":a"))

	require.Equal(t, status, p.gitIn(tree.Path, "status", "--porcelain"))
	require.Equal(t, index, content(t, p.dir, ".git/worktrees/task-1/index"))
	require.Equal(t, refs, p.otherRefs())
	left, err := filepath.Glob(filepath.Join(p.dir, ".git/worktrees/task-1/index.*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSnapshotIncomplete(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "a"), "changed\n")
	p.git("init", "-q", filepath.Join(tree.Path, "nested"))
	p.write(filepath.Join(tree.Path, "nested/x"), "x")
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.ErrorIs(t, err, worktrees.ErrIncomplete)
	require.ErrorContains(t, err, "nested/")
	require.Equal(t, "changed", p.git("show", string(id)+":a"))
}

func TestSnapshotCRLF(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.git("config", "core.autocrlf", "true")
	p.git("config", "core.safecrlf", "true")
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(t, "one\r\n", content(t, tree.Path, "a"))
	p.whole("task-1", "liza/task-1", p.base)
	p.write(filepath.Join(tree.Path, "mixed"), "one\r\ntwo\n")
	id, err := p.Contents.Snapshot(context.Background(), tree.Path, "saved", nil)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo", p.git("show", string(id)+":mixed"))
}

// What a snapshot writes is the clone's only as a whole, large files in packs too.
func TestSnapshotApart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("config", "core.bigFileThreshold", "1k")
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "small"), "small\n")
	p.write(filepath.Join(tree.Path, "large"), strings.Repeat("large\n", 1000))
	before := p.git("count-objects", "-v")
	_, err := p.Contents.Snapshot(ctx, tree.Path, "no \x00 message", nil)
	require.Error(t, err)
	require.Equal(t, before, p.git("count-objects", "-v"))
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.NoError(t, err)
	require.Contains(t, p.git("count-objects", "-v"), "packs: 1\n", "git writes large files so")
	require.Equal(t, content(t, tree.Path, "large"), p.git("show", string(id)+":large")+"\n")
	require.Empty(t, p.git("fsck", "--no-dangling", "--no-progress"))
}

// A filter that never runs, because it is a file of the checkout, keeps its own files out of a
// snapshot and no others, and a checkout that has such files is not deleted.
func TestSnapshotWithoutBarredFilters(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("config", "filter.x.clean", "./tools/clean.sh")
	p.write(".gitattributes", "*.sec filter=x\n*.open filter=y\n")
	p.write("old.sec", "old\n")
	p.write("gone.sec", "gone\n")
	p.script("tools/clean.sh", "#!/bin/sh\ncat\n")
	p.base = p.commitAll(p.dir, "filter")
	for name, change := range map[string]string{"a new file": "new.sec", "a changed one": "old.sec"} {
		t.Run(name, func(t *testing.T) {
			task := strings.ReplaceAll(change, ".", "-")
			tree := p.branch(task, "liza/"+task)
			for _, name := range []string{change, "work", "more.open"} {
				p.write(filepath.Join(tree.Path, name), "work\n")
			}
			require.NoError(t, os.Remove(filepath.Join(tree.Path, "gone.sec")))
			id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
			require.ErrorIs(t, err, worktrees.ErrIncomplete)
			require.ErrorContains(t, err, task+": "+change)
			require.Equal(t, "gone.sec\nmore.open\nwork", p.git("diff", "--name-only", string(p.base), string(id)))
			kept, err := p.Retire(ctx, task, nil, always)
			require.NoError(t, err)
			require.Equal(t, "work\n", content(t, kept, change))
		})
	}
}

// Nor is one of which a filter of the user's own that fails leaves no snapshot.
func TestSnapshotWhereAFilterFails(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("config", "filter.x.clean", "false")
	p.git("config", "filter.x.required", "true")
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, ".gitattributes"), "*.sec filter=x\n")
	p.write(filepath.Join(tree.Path, "new.sec"), "work\n")
	id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.ErrorIs(t, err, worktrees.ErrIncomplete)
	require.Equal(t, p.base, id)
	kept, err := p.Retire(ctx, "task-1", nil, always)
	require.NoError(t, err)
	require.Equal(t, "work\n", content(t, kept, "new.sec"))
}
