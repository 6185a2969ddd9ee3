package hooks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// with are the updates that bring the server what the clone has, but another state.
func (y *serverFixture) with(state git.ID) []Update {
	y.t.Helper()
	list := y.all()
	for i := range list {
		if list[i].Name == layout.State {
			list[i].New = state
		}
	}
	return list
}

// TestForgedTexts: a server looks itself what merges, adoptions and acceptances
// bring. No move says that a text is another one, that it has not changed, or
// that one has which did not.
func TestForgedTexts(t *testing.T) {
	t.Parallel()
	y := plain(t)
	// edited is a commit after another one that changes what the goal stands on.
	edited := func(on git.ID, content string) git.ID {
		return y.commitTree(y.treeWith(string(on), "README", content), "work", on)
	}
	forged := func(move git.ID, content string) {
		t.Helper()
		blob := y.hash("blob", content)
		is, not := field("blob: ", blob), field("blob: ", y.hash("blob", "another\n"))
		list := "texts:\n  - path: README\n    " + is + "\n"
		for _, edits := range [][]string{
			{is, not},
			{list, ""},
			{list, list + "  - path: none.md\n    " + is + "\n"},
			{"path: README\n    " + is, "path: none.md\n    " + is},
		} {
			lie := y.forge(move, edits...)
			y.refuses(string(lie), flow.RuleFact, "the move", y.with(lie)...)
		}
		y.land(y.all()...)
		require.Equal(t, blob, y.board().Tracked("README").Blob)
	}
	y.add("a")
	y.claim("a")
	gittest.Git(t, y.clone, "update-ref", "refs/heads/liza/a", string(edited(y.at("refs/heads/integration"), "of a\n")))
	y.submit("a")
	y.approve("a")
	y.land(y.all()...)
	y.merge("a")
	forged(y.at(layout.State), "of a\n")

	tip := y.board().Settings().Integration.Tip
	hotfix := edited(tip, "hotfix\n")
	y.do(flow.Move{Act: board.ActAdopt, By: ann, Detail: &flow.AdoptMove{Commit: hotfix, Onto: tip, Reason: "R"}})
	forged(y.at(layout.State), "hotfix\n")
	require.False(t, y.board().Tracked("README").Approved())

	y.do(flow.Move{Act: board.ActAccept, By: ann, Detail: &flow.AcceptMove{Paths: []string{"README"}}})
	is := field("blob: ", y.hash("blob", "hotfix\n"))
	list := "texts:\n  - path: README\n    " + is + "\n"
	for without, words := range map[string]string{"": "the move does not record the text of \"README\"", list + "  - path: none.md\n    " + is + "\n": "the move records 2 texts for 1 paths"} {
		lie := y.forge(y.at(layout.State), list, without)
		y.refuses(string(lie), flow.RuleFact, words, y.with(lie)...)
	}
	forged(y.at(layout.State), "hotfix\n")
	require.True(t, y.board().Tracked("README").Approved())
}
