package gitstore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Two submissions change the goal's spec, each approved, and git merges both into
// a text that nobody judged. Only a program that does not look first makes such a
// move.
func TestTextsThatNobodyJudged(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	adopt := func(content string) {
		tip := d.board().Settings().Integration.Tip
		d.do(by(ann, flow.ActAdopt, &flow.AdoptMove{Commit: d.commit(tip, "README", content), Onto: tip, Reason: "R"}))
	}
	adopt("1\n2\n3\n4\n5\n6\n7\n8\n")
	d.add("first", "second", "third")
	first := d.submit("first", coder, "README", "one\n2\n3\n4\n5\n6\n7\n8\n")
	second := d.submit("second", coder, "README", "1\n2\n3\n4\n5\n6\n7\neight\n")
	third := d.submit("third", coder, "other.txt", "x\n")
	d.approve("first", first)
	d.approve("second", second)
	d.approve("third", third)
	d.merge("first")
	brought := d.board().Tracked("README")
	require.Equal(t, flow.TaskID("first"), brought.Task)
	require.True(t, brought.Approved())

	// The verdicts on the others were given for the earlier text.
	for id, commit := range map[flow.TaskID]git.ID{"second": second, "third": third} {
		d.do(flow.Move{Act: flow.ActRecheck, Task: id, By: ann, Detail: &flow.RecheckMove{}})
		d.approve(id, commit)
	}
	m, _, err := merging(d.store, "second")(d.board(), d.now)
	require.NoError(t, err)
	d.refused(flow.RuleTracked, m)
	merge := m.Detail.(*flow.MergeMove)
	query := d.board().Ask(m)
	contested, err := d.store.Commits.Contested(ctx, query, merge.Tree)
	require.NoError(t, err)
	require.Equal(t, []string{"README"}, contested)

	d.merge("third")
	require.Equal(t, brought, d.board().Tracked("README"))
	d.sound()
}
