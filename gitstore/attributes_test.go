package gitstore

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// attributed is a board whose integration has attributes, and drivers that a user has
// configured for them.
func attributed(t *testing.T) (d *desk, ran string) {
	t.Helper()
	dir := gittest.Seeded(t)
	gittest.Write(t, dir, ".gitattributes", "log merge=union\n*.lock -merge\n*.own merge=own filter=own\n")
	for _, name := range []string{"log", "a.lock", "b.own"} {
		gittest.Write(t, dir, name, "1\n2\n3\n4\n5\n")
	}
	gittest.Git(t, dir, "add", ".")
	gittest.Git(t, dir, "commit", "-q", "-m", "base")
	ran = filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{"merge.own.driver", "filter.own.clean", "filter.own.smudge"} {
		gittest.Git(t, dir, "config", key, "touch '"+ran+"'; cat")
	}
	return newDesk(t, dir), ran
}

// both has two tasks change a file, both approved, and the first merged.
func (d *desk) both(file, one, two string) {
	d.t.Helper()
	d.add("task-1")
	d.add("task-2")
	first, second := d.submit("task-1", coder, file, one), d.submit("task-2", "coder-2", file, two)
	d.approve("task-1", first)
	d.approve("task-2", second)
	d.merge("task-1")
}

// The attributes of the base choose among git's own ways to merge, and no program runs.
func TestMergesHeedAttributes(t *testing.T) {
	t.Parallel()
	d, _ := attributed(t)
	d.both("log", "1\n2\n3\n4\n5\none\n", "1\n2\n3\n4\n5\ntwo\n")
	d.merge("task-2")
	require.Equal(t, "1\n2\n3\n4\n5\none\ntwo", gittest.Git(t, d.dir, "show", "integration:log"))
	d.sound()

	d, ran := attributed(t)
	d.both("b.own", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n")
	d.merge("task-2")
	require.Equal(t, "one\n2\n3\n4\nfive", gittest.Git(t, d.dir, "cat-file", "-p", "integration:b.own"))
	d.sound()
	require.NoFileExists(t, ran)
}

// What a submission changes of the attributes says nothing of its own merge.
func TestMergesHeedTheBaseAlone(t *testing.T) {
	t.Parallel()
	d, _ := attributed(t)
	base := d.at("refs/heads/integration")
	commit := d.commit(base, ".gitattributes", "* merge=union\n")
	attributes, err := d.store.Commits.Attributes(context.Background(), base, commit)
	require.NoError(t, err)
	require.Equal(t, "log merge=union\n*.lock -merge\n*.own merge=own filter=own", attributes)
}

// A merge that an earlier program made, without attributes, is as good.
func TestMergesWithoutAttributes(t *testing.T) {
	t.Parallel()
	d, _ := attributed(t)
	d.both("a.lock", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n")
	ctx, sub := context.Background(), d.board().Task("task-2").Submission
	attributes, err := d.store.Commits.Attributes(ctx, sub.Base, sub.Commit)
	require.NoError(t, err)
	m, err := d.store.Commits.Merge(ctx, d.at("refs/heads/integration"), sub.Commit, attributes)
	require.NoError(t, err)
	require.Equal(t, []string{"a.lock"}, m.Conflicts)
	_, err = d.store.Do(ctx, mergingBy(d.store, "task-2", ""))
	require.NoError(t, err)
	d.sound()
}

func TestAttributesBelow(t *testing.T) {
	t.Parallel()
	for _, one := range [][3]string{
		{"", "*.md merge=union", "*.md merge=union"},
		{"a/", "*.md\tmerge=union", "/a/**/*.md\tmerge=union"},
		{"a/b/", "c/*.md -merge", "/a/b/c/*.md -merge"},
		{"a/", "/x binary", "/a/x binary"},
		{"a/", `"x y" -merge`, `"/a/**/x y" -merge`},
		{"a/", `"x/y z" -merge`, `"/a/x/y z" -merge`},
		{"!a/", "x -merge", "/!a/**/x -merge"},
		{"a b/", "x -merge", ""},
		{"a/", "[attr]own -merge", ""},
		{"a/", "# x", "# x"},
		{"a/", `"`, `"/a/**/`},
		{"a/", "", ""},
	} {
		require.Equal(t, one[2], attributeBelow(one[0], one[1]), one)
	}
}

// Folders have attributes of their own, for what lies in them.
func TestAttributesOfFolders(t *testing.T) {
	t.Parallel()
	d, _ := attributed(t)
	gittest.Git(t, d.dir, "checkout", "-q", "-b", "folders")
	gittest.Write(t, d.dir, "docs/.gitattributes", "log -merge\n")
	gittest.Write(t, d.dir, "docs/deep/log", "1\n2\n3\n")
	gittest.Git(t, d.dir, "add", ".")
	gittest.Git(t, d.dir, "commit", "-q", "-m", "folders")
	var sides [2]git.ID
	for i, text := range []string{"one\n2\n3\n", "1\n2\nthree\n"} {
		gittest.Git(t, d.dir, "checkout", "-q", "-B", "side", "folders")
		gittest.Write(t, d.dir, "docs/deep/log", text)
		gittest.Git(t, d.dir, "commit", "-q", "-a", "-m", "side")
		sides[i] = d.at("refs/heads/side")
	}
	ctx := context.Background()
	attributes, err := d.store.Commits.Attributes(ctx, d.at("refs/heads/folders"), sides[1])
	require.NoError(t, err)
	m, err := d.store.Commits.Merge(ctx, sides[0], sides[1], attributes)
	require.NoError(t, err)
	require.Equal(t, []string{"docs/deep/log"}, m.Conflicts)
	m, err = d.store.Commits.Merge(ctx, sides[0], sides[1], "")
	require.NoError(t, err)
	require.Empty(t, m.Conflicts)
}
