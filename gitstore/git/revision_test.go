package git

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A branch is looked for before a tag, a remote's branch or a file, and a name that stands
// for two commits is refused.
func TestRevisionsAreOneCommit(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	at := func(rev string) ID { return ID(gittest.Git(t, dir, "rev-parse", rev+"^0")) }
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "evil")
	evil, meant := at("HEAD"), at("HEAD~1")
	gittest.Git(t, dir, "reset", "-q", "--hard", "HEAD~1")
	set := func(id ID, refs ...string) {
		for _, ref := range refs {
			gittest.Git(t, dir, "update-ref", ref, string(id))
		}
	}
	short := string(meant[:7])
	set(meant, "refs/heads/both", "refs/heads/a@b", "refs/heads/alone", "refs/heads/up", "refs/heads/same", "refs/tags/same", "refs/remotes/o/HEAD", "ORIG_HEAD")
	set(evil, "refs/tags/both", "refs/tags/a@b", "refs/tags/"+short, "refs/tags/up", "refs/tags/o/HEAD", "refs/tags/ORIG_HEAD", "refs/tags/HEAD", "refs/tags/v1")
	gittest.Git(t, dir, "branch", "-q", "-u", "main", "up")
	gittest.Write(t, r.CommonDir(), "alone", string(evil)+"\n") // which git 2.39 takes for a ref

	for rev, full := range map[string]string{
		"both": "refs/heads/both", "both^0": "refs/heads/both^0", "both@{0}": "refs/heads/both@{0}", "a@b~0": "refs/heads/a@b~0",
		"o/HEAD": "refs/tags/o/HEAD", short: "refs/tags/" + short, "heads/both": "",
		"alone": "", "alone^0": "", "same": "", "same~0": "", "up@{upstream}": "", "up@{U}": "", "HEAD": "", "HEAD^0": "", "ORIG_HEAD": "",
		"@": "", "@{0}": "", "main@{0}": "", "HEAD^{/}": "", "refs/heads/both": "", string(meant[:9]): "", "v9-1-g" + string(meant[:9]): "",
	} {
		id, err := r.ParseCommit(ctx, rev)
		if full == "" {
			require.NoError(t, err, rev)
			require.Equal(t, meant, id, rev)
			continue
		}
		var found *Ambiguous
		require.ErrorAs(t, err, &found, rev)
		require.Equal(t, full, found.Full)
		require.ErrorContains(t, err, " is "+evil.Short()+" (evil)")
		require.ErrorContains(t, err, " is "+meant.Short()+" (")
		_, err = r.ParseCommit(ctx, found.Full)
		require.NoError(t, err)
	}
	id, err := r.ParseCommit(ctx, "v1")
	require.NoError(t, err)
	require.Equal(t, evil, id)
	for name, want := range map[string]string{"main": "main", "both": "refs/heads/both", "alone": "refs/heads/alone"} {
		require.Equal(t, want, ShortBranch(ctx, r, name))
	}
}
