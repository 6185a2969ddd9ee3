package hooks

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// cut is a governed board with keys, on clone and server, whose last move is a mark,
// and the commit of a board that began from it.
func cut(t *testing.T) (*serverFixture, git.ID) {
	t.Helper()
	ctx := context.Background()
	y := governed(t, true)
	y.do(flow.Move{Act: flow.ActMark, By: ann, Detail: &flow.MarkMove{Name: "cut"}})
	y.land(y.all()...)
	state, store := y.at(layout.State), y.open(y.clone)
	from, err := store.Origins.ReadMark(ctx, "cut")
	require.NoError(t, err)
	gittest.Git(t, y.clone, "update-ref", "-d", layout.State)
	r, err := store.Fork(ctx, from, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: flow.ActFork, By: ann, Principal: "ann", Detail: forkTo("aa66554433221100", b.Settings().Integration.Tip)}, nil, nil
	})
	require.NoError(t, err)
	gittest.Git(t, y.clone, "update-ref", layout.State, string(state))
	return y, r.Commit
}

// forkTo is the move that begins a board from "cut" on the same branch.
func forkTo(board string, tip git.ID) *flow.ForkMove {
	return &flow.ForkMove{Board: board, Mark: "cut", Integration: flow.Branch{Name: "integration", Tip: tip}, Reason: "another try"}
}

// TestForkOverABoard: a signed move that begins a board is refused where there is one,
// however it is pushed, and is taken with the board that it begins.
func TestForkOverABoard(t *testing.T) {
	t.Parallel()
	y, fork := cut(t)
	const reason = "the move begins another board from cut"
	y.refuses(string(fork), RuleHistory, reason, y.to(layout.State, fork))
	y.push.Publish, y.push.Signed = true, true
	y.refuses(string(fork), RuleHistory, reason, y.to(layout.State, fork))
	y.push.Publish, y.push.Signed = false, false

	ctx := context.Background()
	_, err := Verify(ctx, y.open(y.clone), y.at("refs/liza/marks/cut"), fork, false)
	var rejected *Rejection
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, RuleHistory, rejected.Refused[0].Rule)
	verified, err := Verify(ctx, y.open(y.clone), "", fork, false)
	require.NoError(t, err)
	require.Equal(t, 7, verified.Moves)

	y.judge = y.open(y.empty())
	y.accepts(append(y.moves("refs/liza/marks/sprint-1", "refs/liza/marks/cut", "refs/heads/integration"), y.to(layout.State, fork))...)
}

// TestForgedForks: a server without a board takes none that nobody could begin.
func TestForgedForks(t *testing.T) {
	t.Parallel()
	y, _ := cut(t)
	y.judge = y.open(y.empty())
	tip := y.board().Settings().Integration.Tip
	good := forkTo("aa66554433221100", tip)
	for name, c := range map[string]struct {
		move   flow.Move
		rule   flow.Rule
		reason string
	}{
		"by an agent":        {flow.Move{By: coder, Principal: "carl", Detail: good}, flow.RuleRole, "fork"},
		"without the right":  {flow.Move{By: "human:mel", Principal: "mel", Detail: good}, flow.RuleAdmin, "fork is for principals with the right admin"},
		"from another tip":   {flow.Move{By: ann, Detail: forkTo("aa66554433221100", y.at(layout.State))}, flow.RuleTip, "where the mark has it"},
		"with the same id":   {flow.Move{By: ann, Detail: forkTo("00112233445566aa", tip)}, flow.RuleForm, "an id of its own"},
		"from no mark":       {flow.Move{By: ann, Detail: &flow.ForkMove{Board: good.Board, Mark: "none", Integration: good.Integration, Reason: "r"}}, flow.RuleNotFound, "no mark none"},
		"of a branch of git": {flow.Move{By: ann, Detail: &flow.ForkMove{Board: good.Board, Mark: "cut", Integration: flow.Branch{Name: "liza/x", Tip: tip}, Reason: "r"}}, flow.RuleForm, "cannot be the integration branch"},
	} {
		c.move.Act = flow.ActFork
		forged := y.state(c.move)
		t.Run(name, func(t *testing.T) { y.refuses(string(forged), c.rule, c.reason, y.to(layout.State, forged)) })
	}
}
