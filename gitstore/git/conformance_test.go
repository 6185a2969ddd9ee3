package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conforms(t, make(t))
		})
	}
}

// conforms is what every repository must do, checked with git itself.
func conforms(t *testing.T, k gittest.Kind) {
	r := open(t, k.Dir)
	require.Equal(t, k.Common, r.CommonDir())
	require.Equal(t, k.Work, r.WorkTree())
	require.Equal(t, k.Main, r.MainWorkTree())
	require.Equal(t, gittest.Git(t, k.Dir, "rev-parse", "--absolute-git-dir"), r.GitDir())
	require.Equal(t, "git version "+r.GitVersion(), gittest.Git(t, k.Dir, "version"))
	first := conformsReading(t, r)
	second := conformsWriting(t, r, first)
	conformsRefs(t, r, first, second)
	conformsMerging(t, r, first, second)
	conformsPacking(t, r, first, second)
	gittest.Git(t, k.Dir, "fsck", "--strict", "--no-dangling")
}

func conformsReading(t *testing.T, r *Repo) (first ID) {
	ctx, o := context.Background(), objectsOf(t, r)
	first, err := r.Refs.Resolve(ctx, "refs/heads/main")
	require.NoError(t, err)
	require.Equal(t, gittest.Git(t, r.GitDir(), "rev-parse", "refs/heads/main"), string(first))
	require.Len(t, string(first), r.HashLen())

	c, err := o.Commit(first)
	require.NoError(t, err)
	require.Equal(t, "Ada", c.Author)
	require.Equal(t, "grace@example.org", c.CommitterEmail)
	require.Equal(t, "first\n", c.Message)
	require.Equal(t, "2026-01-17T14:06:00Z", c.AuthorTime.UTC().Format("2006-01-02T15:04:05Z07:00"))

	entries, err := o.Tree(c.Tree)
	require.NoError(t, err)
	require.Equal(t, "README", entries[0].Name)
	require.EqualValues(t, ModeTree, entries[1].Mode)
	kind, data, err := o.Read(entries[0].ID)
	require.NoError(t, err)
	require.Equal(t, "blob hello\n", kind+" "+string(data))
	kind, n, err := o.Size(entries[0].ID)
	require.NoError(t, err)
	require.Equal(t, "blob 6", fmt.Sprint(kind, " ", n))

	blob, err := r.BlobAt(ctx, first, "src/main.sh")
	require.NoError(t, err)
	require.Equal(t, gittest.Git(t, r.GitDir(), "rev-parse", string(first)+":src/main.sh"), string(blob))
	for _, absent := range []string{"src", "src/none", "README/x", ""} {
		blob, err := r.BlobAt(ctx, first, absent)
		require.NoError(t, err)
		require.Empty(t, blob, absent)
	}
	_, _, err = o.Read(ID(strings.Repeat("1", r.HashLen())))
	require.ErrorIs(t, err, ErrNoObject)
	_, _, err = o.Size(ID(strings.Repeat("1", r.HashLen())))
	require.ErrorIs(t, err, ErrNoObject)
	return first
}

// conformsWriting adds a commit that changes everything a commit can.
func conformsWriting(t *testing.T, r *Repo, first ID) (second ID) {
	ctx, o := context.Background(), objectsOf(t, r)
	blob, err := o.WriteBlob([]byte("new\n"))
	require.NoError(t, err)
	link, err := o.WriteBlob([]byte("../away"))
	require.NoError(t, err)
	kind, data, err := o.Read(blob)
	require.NoError(t, err)
	require.Equal(t, "blob new\n", kind+" "+string(data), "before the flush")
	// "src.txt" sorts before the folder "src", but after "src" as a string.
	tree, err := o.WriteTree([]Entry{{ModeTree, "src", mustTree(t, o, "main.sh", blob)}, {ModeSymlink, "l", link}, {ModeExecutable, "src.txt", blob}})
	require.NoError(t, err)
	second, err = o.WriteCommit([]byte("tree " + string(tree) + "\nparent " + string(first) +
		"\nauthor Ada <ada@example.org> 1768658760 +0130\ncommitter Grace <grace@example.org> 1768658761 -0200\n\nsecond\n\nbody\n"))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	require.NoError(t, o.Flush())

	require.Equal(t, "second", gittest.Git(t, r.GitDir(), "log", "-1", "--format=%s", string(second)))
	require.Equal(t, "l src.txt src", strings.Join(strings.Fields(gittest.Git(t, r.GitDir(), "ls-tree", "--name-only", string(second))), " "))
	parsed, err := r.ParseCommit(ctx, string(second)+"~0")
	require.NoError(t, err)
	require.Equal(t, second, parsed)
	c, err := o.Commit(second)
	require.NoError(t, err)
	require.Equal(t, []ID{first}, c.Parents)
	require.Equal(t, "second\n\nbody\n", c.Message)
	_, offset := c.AuthorTime.Zone()
	require.Equal(t, 90*60, offset)

	changes, err := r.Changes(ctx, first, second)
	require.NoError(t, err)
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%o %o %d %s%s", c.OldMode, c.Mode, c.Size, c.Path, c.Link))
	}
	require.Equal(t, []string{"100644 0 0 README", "0 120000 7 l../away", "0 100755 4 src.txt", "100644 100644 4 src/main.sh"}, got)
	changes, err = r.Changes(ctx, "", first)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	return second
}

func mustTree(t *testing.T, o *Objects, name string, blob ID) ID {
	t.Helper()
	id, err := o.WriteTree([]Entry{{ModeBlob, name, blob}})
	require.NoError(t, err)
	return id
}

func conformsRefs(t *testing.T, r *Repo, first, second ID) {
	ctx := context.Background()
	require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{
		{Name: layout.State, New: first}, {Name: "refs/liza/saved/x/1", New: second}, {Name: "refs/heads/liza/x", New: first, Any: true},
	}, "claim\ntask-3"))
	require.Equal(t, string(first), gittest.Git(t, r.GitDir(), "rev-parse", layout.State))
	require.Contains(t, gittest.Git(t, r.GitDir(), "reflog", layout.State), "claim task-3", "the first move makes a reflog")
	refs, err := r.Refs.List(ctx, "refs/liza/")
	require.NoError(t, err)
	require.Equal(t, map[string]ID{layout.State: first, "refs/liza/saved/x/1": second}, refs)

	// One ref that is elsewhere holds all of them back.
	err = r.Refs.MoveRefs(ctx, []RefUpdate{{Name: layout.State, Old: first, New: second}, {Name: "refs/heads/liza/x", Old: second, New: second}}, "lost")
	require.ErrorIs(t, err, ErrRefMoved)
	err = r.Refs.MoveRefs(ctx, []RefUpdate{{Name: layout.State, New: second}}, "exists")
	require.ErrorIs(t, err, ErrRefMoved)
	err = r.Refs.MoveRefs(ctx, []RefUpdate{{Name: "refs/heads/none", Old: first}}, "gone")
	require.ErrorIs(t, err, ErrRefMoved)
	for name, want := range map[string]ID{layout.State: first, "refs/heads/liza/x": first, "refs/heads/none": "", "refs/liza/saved/x": "", "refs/heads/main/x": ""} {
		got, err := r.Refs.Resolve(ctx, name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}

	gittest.Git(t, r.GitDir(), "pack-refs", "--all")
	require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: layout.State, Old: first, New: second}, {Name: "refs/heads/liza/x", Old: first}}, "merge"))
	for name, want := range map[string]ID{layout.State: second, "refs/heads/liza/x": ""} {
		got, err := r.Refs.Resolve(ctx, name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.NoFileExists(t, filepath.Join(r.CommonDir(), layout.State+".lock"))
	entries, err := os.ReadDir(r.Journal.Dir())
	require.NoError(t, err)
	require.Empty(t, entries)
	release, err := r.Turns.Queue(ctx)
	require.NoError(t, err)
	release()
}

func conformsMerging(t *testing.T, r *Repo, first, second ID) {
	ctx := context.Background()
	m, err := r.Merger.Merge(ctx, first, second)
	require.NoError(t, err)
	require.Empty(t, m.Conflicts)
	require.Equal(t, gittest.Git(t, r.GitDir(), "rev-parse", string(second)+"^{tree}"), string(m.Tree))

	o := objectsOf(t, r)
	other := commitOn(t, o, first, "src", "main.sh", "echo other\n")
	require.NoError(t, o.Flush())
	m, err = r.Merger.Merge(ctx, second, other)
	require.NoError(t, err)
	require.Contains(t, m.Conflicts, "src/main.sh")
	base, err := r.MergeBases(ctx, second, other)
	require.NoError(t, err)
	require.Equal(t, []ID{first}, base)
	yes, err := r.IsAncestor(ctx, first, other)
	require.NoError(t, err)
	require.True(t, yes)
	no, err := r.IsAncestor(ctx, other, first)
	require.NoError(t, err)
	require.False(t, no)
}

// commitOn writes a commit whose tree is one file in one folder.
func commitOn(t *testing.T, o *Objects, parent ID, folder, name, content string) ID {
	t.Helper()
	blob, err := o.WriteBlob([]byte(content))
	require.NoError(t, err)
	tree, err := o.WriteTree([]Entry{{ModeTree, folder, mustTree(t, o, name, blob)}})
	require.NoError(t, err)
	header := "tree " + string(tree) + "\n"
	if parent != "" {
		header += "parent " + string(parent) + "\n"
	}
	commit, err := o.WriteCommit([]byte(header + "author Ada <ada@example.org> 1768658760 +0000\ncommitter Ada <ada@example.org> 1768658760 +0000\n\n" + content))
	require.NoError(t, err)
	return commit
}

func conformsPacking(t *testing.T, r *Repo, first, second ID) {
	ctx := context.Background()
	_, _, err := looseSize(r.objectDir, second)
	require.NoError(t, err)
	second = commitMany(t, r, "", "many")
	done, err := r.Packer.Pack(ctx, first, second)
	require.NoError(t, err)
	require.True(t, done)
	_, _, err = looseSize(r.objectDir, second)
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, o := range []*Objects{objectsOf(t, r), objectsOf(t, open(t, r.GitDir()))} {
		c, err := o.Commit(second)
		require.NoError(t, err)
		_, err = o.Tree(c.Tree)
		require.NoError(t, err)
		kind, n, err := o.Size(second)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("commit ", len(c.Raw)), fmt.Sprint(kind, " ", n))
	}
	done, err = r.Packer.Pack(ctx, first, second)
	require.NoError(t, err)
	require.False(t, done, "nothing left to pack")
	packCommit(t, r, second, "more")
	require.Len(t, ownNames(t, r), 1, "merged")
	_, err = objectsOf(t, r).Commit(second)
	require.NoError(t, err)
}
