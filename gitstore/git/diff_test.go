package git

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A diff shows what texts have, whatever the commits, the repository and the user say of
// them. What is no text is not shown as one.
func TestDiffIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		dir := gittest.Seeded(t, "--object-format="+format)
		gittest.Git(t, dir, "checkout", "-q", "-b", "work")
		gittest.Write(t, dir, ".gitattributes", "* -diff\n")
		gittest.Write(t, dir, "src/.gitattributes", "* diff=hide\n")
		gittest.Write(t, dir, "src/main.sh", "echo evil\n")
		gittest.Write(t, dir, "picture", "\x00\x01")
		gittest.Git(t, dir, "add", ".")
		gittest.Git(t, dir, "commit", "-q", "-m", "work")
		bare := filepath.Join(t.TempDir(), "bare.git")
		gittest.Git(t, ".", "clone", "-q", "--bare", dir, bare)
		gittest.Git(t, bare, "symbolic-ref", "HEAD", "refs/heads/work") // of which some versions read attributes
		for _, folder := range []string{filepath.Join(dir, ".git"), bare} {
			gittest.Write(t, folder, "info/attributes", "* -diff\n")
			gittest.Write(t, folder, ".gitattributes", "* -diff\n")
			for _, set := range [][2]string{{"core.bigFileThreshold", "1"}, {"core.attributesFile", filepath.Join(dir, ".gitattributes")}, {"diff.noprefix", "true"}, {"diff.hide.binary", "true"}, {"diff.hide.textconv", "true"}, {"diff.external", "true"}, {"color.ui", "always"}} {
				gittest.Git(t, folder, "config", set[0], set[1])
			}
		}
		var shown []string
		for _, where := range []string{dir, filepath.Join(dir, "src"), bare} {
			r, ctx := open(t, where), context.Background()
			old, err := r.Refs.Resolve(ctx, "refs/heads/main")
			require.NoError(t, err)
			now, err := r.Refs.Resolve(ctx, "refs/heads/work")
			require.NoError(t, err)
			out, err := r.Differ.Diff(ctx, string(old), string(now), "--")
			require.NoError(t, err)
			require.Contains(t, string(out), "--- a/src/main.sh\n+++ b/src/main.sh\n@@ -1 +1 @@\n-echo hi\n+echo evil\n")
			require.Contains(t, string(out), "Binary files /dev/null and b/picture differ")
			shown = append(shown, string(out))
			out, err = r.Differ.RangeDiff(ctx, [2]ID{now, old}, [2]ID{old, now})
			require.NoError(t, err)
			require.Contains(t, string(out), now.Short()[:7]+" work")

			start, cut, err := r.Differ.DiffStart(ctx, 20, string(old), string(now), "--")
			require.NoError(t, err)
			require.True(t, cut)
			require.Equal(t, shown[0][:20], string(start))
			start, cut, err = r.Differ.DiffStart(ctx, int64(len(shown[0])), string(old), string(now), "--")
			require.NoError(t, err)
			require.False(t, cut)
			require.Equal(t, shown[0], string(start))
			_, _, err = r.Differ.DiffStart(ctx, 20, strings.Repeat("0", len(old)), string(now), "--")
			require.Equal(t, 128, ExitCode(err))
		}
		require.Equal(t, shown[0], shown[1])
		require.Equal(t, shown[0], shown[2])
	}
}

// A partial clone fetches what a diff shows.
func TestDiffInPartialClone(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	gittest.Git(t, dir, "checkout", "-q", "-b", "work")
	gittest.Write(t, dir, "README", "bye\n")
	gittest.Git(t, dir, "commit", "-q", "-a", "-m", "work")
	clone := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, ".", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+dir, clone)
	r, ctx := open(t, clone), context.Background()
	old, err := r.ParseCommit(ctx, "origin/main")
	require.NoError(t, err)
	now, err := r.ParseCommit(ctx, "origin/work")
	require.NoError(t, err)
	out, cut, err := r.Differ.DiffStart(ctx, 1000, string(old), string(now), "--")
	require.NoError(t, err)
	require.False(t, cut)
	require.Contains(t, string(out), "-hello\n+bye\n")
}
