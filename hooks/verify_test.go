package hooks

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestVerifyOtherGit: what another version of git merged is history.
func TestVerifyOtherGit(t *testing.T) {
	t.Parallel()
	y := newServerFixture(t, "sha1")
	ctx := context.Background()
	y.init()
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.approve("a")
	y.land(y.all()...)
	d := y.merging("a")
	d.Git = "2.38.0"
	y.do(flow.Move{Act: board.ActMerge, Task: "a", By: ann, Detail: d})
	tip := y.at(layout.State)
	v, err := Verify(ctx, y.store, "", tip, false)
	require.NoError(t, err)
	require.Equal(t, Verified{Moves: 8}, v)

	// As if that version had made another tree of it.
	other := y.commitTree(gittest.Git(t, y.clone, "rev-parse", string(y.commit(string(d.Commit), "more", "x"))+"^{tree}"), "Merge a", d.Onto, d.Submission)
	tree := gittest.Git(t, y.clone, "rev-parse", string(other)+"^{tree}")
	forged := y.rewritten(tip, field("", d.Commit), field("", other), "MERGED "+d.Commit.Short(), "MERGED "+other.Short(), field("tree: ", d.Tree)+"\n  by: \"human:ann", field("tree: ", git.ID(tree))+"\n  by: \"human:ann",
		field("tree: ", d.Tree)+"\ngit: ", field("tree: ", git.ID(tree))+"\ngit: ")
	v, err = Verify(ctx, y.open(y.clone), "", forged, false)
	require.NoError(t, err)
	require.Len(t, v.Warnings, 1)
	require.Contains(t, v.Warnings[0].Reason, "git 2.38.0 computed this merge")

	// A judge of all earlier moves compares this merge with that of git.
	_, err = Verify(ctx, y.open(y.clone), git.ID(gittest.Git(t, y.clone, "rev-parse", string(forged)+"^")), forged, false)
	require.Equal(t, flow.RuleMerge, rule(t, err))

	// A server takes it with a whole board, as history, but not as a move.
	y.refuses(string(forged), flow.RuleMerge, "", y.to(layout.State, forged), y.to(integrationBranch, other))
	y.judge = y.open(y.empty())
	gittest.Git(t, y.clone, "update-ref", layout.State, string(forged))
	gittest.Git(t, y.clone, "update-ref", integrationBranch, string(other))
	gittest.Git(t, y.clone, "update-ref", "-d", branchA)
	y.accepts(y.all()...)
}

// TestVerifyWithoutIntegration: the branch is made of its commits where they are here, and
// fetched where they are not, as after a clone of refs/liza.
func TestVerifyWithoutIntegration(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx, tip := context.Background(), y.at(layout.State)
	missing := func(dir string) (hint string) {
		_, err := Verify(ctx, y.open(dir), "", tip, false)
		var rejection *Rejection
		require.ErrorAs(t, err, &rejection)
		require.Len(t, rejection.Refused, 1)
		require.Equal(t, integrationBranch, rejection.Refused[0].What)
		require.Equal(t, flow.RuleTip, rejection.Refused[0].Rule)
		return rejection.Refused[0].Hint
	}
	gittest.Git(t, y.clone, "update-ref", "-d", integrationBranch)
	require.Equal(t, "git branch integration "+string(y.at("refs/heads/main")), missing(y.clone))

	fresh := t.TempDir()
	gittest.Git(t, fresh, "init", "-q")
	gittest.Git(t, fresh, "remote", "add", "origin", y.server)
	gittest.Git(t, fresh, "fetch", "-q", "origin", layout.State+":"+layout.State)
	require.Equal(t, "git fetch origin "+integrationBranch+":"+integrationBranch, missing(fresh))
}

// rewritten is a state commit with edits in its move and in every document
// that follows from it.
func (y *serverFixture) rewritten(commit git.ID, edits ...string) git.ID {
	y.t.Helper()
	edit := strings.NewReplacer(edits...)
	var index strings.Builder
	for line := range strings.Lines(gittest.Git(y.t, y.clone, "ls-tree", "-r", string(commit)) + "\n") {
		f := strings.Fields(line)
		blob := y.hash("blob", edit.Replace(gittest.Git(y.t, y.clone, "cat-file", "blob", f[2])+"\n"))
		index.WriteString(f[0] + " " + string(blob) + "\t" + f[3] + "\n")
	}
	dir := y.t.TempDir()
	y.environ = []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	y.feed(index.String(), "update-index", "--add", "--index-info")
	tree := y.feed("", "write-tree")
	y.environ = nil
	return y.forge(commit, append(edits, "tree "+gittest.Git(y.t, y.clone, "rev-parse", string(commit)+"^{tree}")+"\n", "tree "+tree+"\n")...)
}
