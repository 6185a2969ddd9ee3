package git

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// Whatever a user, a machine or the content of the tree says about merging
// changes nothing.
func TestMergeIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Write(t, dir, "old/a", "1\n2\n3\n4\n5\n6\n")
	gittest.Write(t, dir, "old/b", "b1\nb2\nb3\nb4\nb5\n")
	gittest.Write(t, dir, ".gitattributes", "* merge=union\n")
	gittest.Git(t, dir, "add", ".")
	gittest.Git(t, dir, "commit", "-q", "-m", "base")
	gittest.Git(t, dir, "checkout", "-q", "-b", "renames")
	gittest.Git(t, dir, "mv", "old", "new")
	gittest.Write(t, dir, "README", "ours\n")
	gittest.Git(t, dir, "commit", "-q", "-a", "-m", "renames")
	gittest.Git(t, dir, "checkout", "-q", "-b", "edits", "main")
	gittest.Write(t, dir, "old/a", "one\n2\n3\n4\n5\n6\n")
	gittest.Git(t, dir, "commit", "-q", "-a", "-m", "edits")
	gittest.Git(t, dir, "checkout", "-q", "-b", "conflicts", "main")
	gittest.Write(t, dir, "README", "theirs\n")
	gittest.Write(t, dir, "old/c", "c\n")
	gittest.Git(t, dir, "add", ".")
	gittest.Git(t, dir, "commit", "-q", "-m", "conflicts")

	bare := filepath.Join(t.TempDir(), "bare.git")
	gittest.Git(t, ".", "clone", "-q", "--bare", dir, bare)
	for _, set := range [][2]string{{"merge.renames", "false"}, {"merge.directoryRenames", "true"}, {"merge.conflictStyle", "diff3"}, {"diff.renames", "false"}} {
		gittest.Git(t, dir, "config", set[0], set[1])
	}
	gittest.Write(t, dir, ".git/info/attributes", "* merge=ours\n")

	var clean, conflict []Merge
	for _, where := range []string{dir, bare} {
		r, ctx := open(t, where), context.Background()
		ids := make(map[string]ID)
		for _, name := range []string{"main", "renames", "edits", "conflicts"} {
			id, err := r.Refs.Resolve(ctx, "refs/heads/"+name)
			require.NoError(t, err)
			ids[name] = id
		}
		m, err := r.Merger.Merge(ctx, ids["renames"], ids["edits"])
		require.NoError(t, err)
		require.Empty(t, m.Conflicts)
		require.Contains(t, gittest.Git(t, where, "cat-file", "-p", string(m.Tree)+":new/a"), "one", "renames are followed")
		clean = append(clean, m)
		m, err = r.Merger.Merge(ctx, ids["renames"], ids["conflicts"])
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"README", "new/c"}, m.Conflicts)
		require.NotContains(t, gittest.Git(t, where, "cat-file", "-p", string(m.Tree)+":README"), "|||||||")
		conflict = append(conflict, m)
	}
	require.Equal(t, clean[0], clean[1])
	require.Equal(t, conflict[0], conflict[1])

	// The environment brings a configuration.
	elsewhere := filepath.Join(t.TempDir(), "config")
	gittest.Git(t, dir, "config", "--file", elsewhere, "merge.directoryRenames", "false")
	for _, env := range [][]string{
		{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=merge.directoryRenames", "GIT_CONFIG_VALUE_0=true"},
		{"GIT_CONFIG_PARAMETERS='merge.directoryRenames=true'"},
		{"GIT_CONFIG_GLOBAL=" + elsewhere},
	} {
		out := runChild(t, "merge", env, dir, gittest.Git(t, dir, "rev-parse", "renames"), gittest.Git(t, dir, "rev-parse", "conflicts"))
		require.Equal(t, fmt.Sprintln(conflict[0].Tree, conflict[0].Conflicts), out, env)
	}
}

func TestMergeInShallowClone(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	for _, name := range []string{"one", "two"} {
		gittest.Write(t, dir, name, name)
		gittest.Git(t, dir, "add", ".")
		gittest.Git(t, dir, "commit", "-q", "-m", name)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, ".", "clone", "-q", "--depth=1", "file://"+dir, clone)
	gittest.Git(t, clone, "checkout", "-q", "-b", "work")
	gittest.Write(t, clone, "three", "three")
	gittest.Git(t, clone, "add", ".")
	gittest.Git(t, clone, "commit", "-q", "-m", "three")
	r, ctx := open(t, clone), context.Background()
	onto, err := r.ParseCommit(ctx, "main")
	require.NoError(t, err)
	commit, err := r.ParseCommit(ctx, "work")
	require.NoError(t, err)
	m, err := r.Merger.Merge(ctx, onto, commit)
	require.NoError(t, err)
	require.Equal(t, gittest.Git(t, clone, "rev-parse", "work^{tree}"), string(m.Tree))
}

// A partial clone lacks the contents that the merge needs.
func TestMergeInPartialClone(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	gittest.Write(t, dir, "list", "1\n2\n3\n4\n5\n")
	gittest.Git(t, dir, "add", ".")
	gittest.Git(t, dir, "commit", "-q", "-m", "base")
	gittest.Git(t, dir, "checkout", "-q", "-b", "work")
	gittest.Write(t, dir, "list", "one\n2\n3\n4\n5\n")
	gittest.Git(t, dir, "commit", "-q", "-a", "-m", "work")
	gittest.Git(t, dir, "checkout", "-q", "main")
	gittest.Write(t, dir, "list", "1\n2\n3\n4\nfive\n")
	gittest.Git(t, dir, "commit", "-q", "-a", "-m", "main")
	clone := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, ".", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+dir, clone)

	r, ctx := open(t, clone), context.Background()
	onto, err := r.ParseCommit(ctx, "origin/main")
	require.NoError(t, err)
	commit, err := r.ParseCommit(ctx, "origin/work")
	require.NoError(t, err)
	m, err := r.Merger.Merge(ctx, onto, commit)
	require.NoError(t, err)
	require.Empty(t, m.Conflicts)
	require.Equal(t, "one\n2\n3\n4\nfive", gittest.Git(t, clone, "cat-file", "-p", string(m.Tree)+":list"))
	blob, err := r.BlobAt(ctx, onto, "README")
	require.NoError(t, err)
	_, data, err := objectsOf(t, r).Read(blob)
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(data), "fetched when it is read")
}

func TestMergeOfStrangers(t *testing.T) {
	t.Parallel()
	r, ctx := open(t, gittest.Seeded(t)), context.Background()
	o := objectsOf(t, r)
	a, b := commitOn(t, o, "", "a", "a", "a"), commitOn(t, o, "", "b", "b", "b")
	require.NoError(t, o.Flush())
	_, err := r.Merger.Merge(ctx, a, b)
	var gitErr *Error
	require.ErrorAs(t, err, &gitErr)
	base, err := r.MergeBases(ctx, a, b)
	require.NoError(t, err)
	require.Empty(t, base)
	_, err = r.Merger.Merge(ctx, a, r.zero())
	require.ErrorAs(t, err, &gitErr)
}
