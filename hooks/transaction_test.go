package hooks

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestTransactionOnAClone: the board and integration move by moves; what git
// does to its files, and all other refs, pass.
// A move from the future would keep all others away until then.
func TestFutureOnAClone(t *testing.T) {
	t.Parallel()
	y := plain(t)
	now, before := y.now, y.at(layout.State)
	y.now = now.Add(Future + time.Second)
	y.add("late")
	late := y.at(layout.State)
	gittest.Git(t, y.clone, "update-ref", layout.State, string(before))
	move := func() error {
		return Transaction(context.Background(), y.store, []Update{{layout.State, before, late}}, false, nil)
	}
	require.NoError(t, move())
	y.now = now.Add(time.Second)
	require.NoError(t, move())
	y.now = now
	err := move()
	require.Equal(t, flow.RuleTime, rule(t, err))
	require.ErrorContains(t, err, "this machine's clock says 2026")
}

func TestTransactionOnAClone(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx := context.Background()
	main, state := y.at("refs/heads/main"), y.at(layout.State)
	evil := y.commit("refs/heads/main", "evil", "x")
	clone := func(list ...Update) error { return Transaction(ctx, y.store, list, false, nil) }
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{integrationBranch, "", evil})), "an old value of zero is none given")
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{"HEAD", main, evil}, Update{integrationBranch, main, evil})))
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{integrationBranch, main, ""})))
	require.Equal(t, RuleHistory, rule(t, clone(Update{layout.State, state, ""})))
	require.Equal(t, RuleHistory, rule(t, clone(Update{layout.State, state, main})))
	require.Equal(t, RuleRef, rule(t, clone(Update{integrationBranch, "", "ref:refs/heads/topic"})))
	require.Equal(t, RuleRef, rule(t, clone(Update{layout.State, "", "ref:refs/heads/topic"})))
	require.NoError(t, clone(Update{"refs/heads/other", "", "ref:refs/heads/topic"}))
	y.add("a")
	require.Equal(t, RuleHistory, rule(t, clone(Update{layout.State, "", state})), "back, without an old value")
	y.land(y.all()...)
	require.Equal(t, RuleHistory, rule(t, Transaction(ctx, y.judge, []Update{{layout.State, "", state}}, true, nil)), "back on a server")
	state = y.at(layout.State)
	require.NoError(t, clone(Update{"refs/heads/topic", "", evil}, Update{"ORIG_HEAD", "", evil}, Update{"refs/liza/remote/origin/state", "", state}))
	require.NoError(t, clone(Update{integrationBranch, main, main}))

	// gc removes what is packed; a deletion of the same ref holds the lock.
	gittest.Git(t, y.clone, "pack-refs", "--all")
	require.NoError(t, clone(Update{layout.State, state, ""}, Update{integrationBranch, main, ""}))
	gittest.Write(t, y.clone, ".git/packed-refs.lock", "")
	require.Error(t, clone(Update{layout.State, state, ""}))

	// It packs what it read a moment ago; a process that moves a ref has locked it with
	// the new value.
	require.NoError(t, clone(Update{integrationBranch, "", evil}))
	gittest.Write(t, y.clone, ".git/"+integrationBranch+".lock", string(evil)+"\n")
	require.Equal(t, flow.RuleTip, rule(t, clone(Update{integrationBranch, "", evil})))
}
