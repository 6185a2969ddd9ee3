package hooks

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A tag that is called like a branch would be taken for it by whoever types the name.
func TestTagsCalledLikeABranch(t *testing.T) {
	t.Parallel()
	y := plain(t)
	evil := y.commit("refs/heads/main", "evil", "x")
	for _, name := range []string{"integration", "Integration", "main", "liza/a", "LIZA/a", "origin/main", "origin/integration", "origin/liza/a", "origin/HEAD", "HEAD"} {
		y.refuses("refs/tags/"+name, flow.RuleAmbiguous, "has the name of a branch", Update{"refs/tags/" + name, "", evil})
	}
	for _, name := range []string{"v1", "liza", "maintain", "main/1", "origin", "upstream/v1"} {
		y.accepts(Update{"refs/tags/" + name, "", evil})
	}
	y.accepts(Update{"refs/heads/next", "", evil})
	y.refuses("refs/tags/next", flow.RuleAmbiguous, "", Update{"refs/heads/next", "", evil}, Update{"refs/tags/next", "", evil})
	y.refuses("refs/tags/main", flow.RuleAmbiguous, "", Update{"refs/tags/main", "", evil}, Update{"refs/tags/v1", "", evil})

	// One that is there from before only goes.
	gittest.Git(t, y.server, "update-ref", "refs/tags/main", string(evil))
	y.refuses("refs/tags/main", flow.RuleAmbiguous, "", Update{"refs/tags/main", evil, y.at("refs/heads/main")})
	y.accepts(Update{"refs/tags/main", evil, ""})
	require.NoError(t, judgeUpdates(context.Background(), y.store, Push{Updates: []Update{{"refs/tags/main", "", evil}}}), "a clone is its owner's")

	// There may be no board yet, or none that can be read.
	bare := newServerFixture(t, "sha1")
	first := bare.at("refs/heads/main")
	bare.refuses("refs/tags/main", flow.RuleAmbiguous, "", Update{"refs/tags/main", "", first})
	bare.accepts(Update{"refs/tags/v1", "", first})
	gittest.Git(t, y.server, "update-ref", layout.State, string(evil))
	y.refuses("refs/tags/main", flow.RuleAmbiguous, "", Update{"refs/tags/main", evil, evil})
	y.accepts(Update{"refs/tags/v1", "", evil})
}

// Git would move what a symbolic ref stands for, by the rules of another ref.
func TestRefsOfTheBoardThatAreSymbolic(t *testing.T) {
	t.Parallel()
	y := plain(t)
	tip := y.at(integrationBranch)
	evil := y.commit("refs/heads/main", "evil", "x")
	gittest.Git(t, y.server, "update-ref", "refs/heads/other", string(tip))
	gittest.Git(t, y.server, "symbolic-ref", integrationBranch, "refs/heads/other")
	for _, to := range []git.ID{"", evil, tip} {
		y.refuses(integrationBranch, flow.RuleSymbolic, "is symbolic here", Update{integrationBranch, tip, to})
	}
	y.accepts(Update{"refs/heads/other", tip, evil})
	gittest.Git(t, y.server, "update-ref", "--no-deref", integrationBranch, string(tip))

	task := "refs/heads/liza/a"
	gittest.Git(t, y.server, "symbolic-ref", task, "refs/heads/other")
	y.refuses(task, flow.RuleSymbolic, "", Update{task, tip, evil})
	y.refuses(task, flow.RuleSymbolic, "", Update{task, tip, ""})
	gittest.Git(t, y.server, "symbolic-ref", "--delete", task)

	state := y.at(layout.State)
	gittest.Git(t, y.server, "update-ref", "refs/heads/board", string(state))
	gittest.Git(t, y.server, "symbolic-ref", layout.State, "refs/heads/board")
	y.refuses("push", flow.RuleSymbolic, "stands for refs/heads/board", Update{"refs/heads/other", tip, evil})

	// On a clone git shows both; neither may take integration elsewhere.
	ctx := context.Background()
	gittest.Git(t, y.clone, "update-ref", "refs/heads/other", string(tip))
	gittest.Git(t, y.clone, "symbolic-ref", integrationBranch, "refs/heads/other")
	moved := []Update{{integrationBranch, tip, evil}, {"refs/heads/other", tip, evil}}
	require.Equal(t, flow.RuleTip, rule(t, Transaction(ctx, y.store, moved, false, nil)))
	require.NoError(t, Transaction(ctx, y.store, []Update{{integrationBranch, "", tip}}, false, nil), "direct again")
}
