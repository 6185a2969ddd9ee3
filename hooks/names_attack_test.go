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
