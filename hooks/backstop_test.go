package hooks

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestBackstop: of a push that is not atomic nothing lands before the state
// that it follows from, whatever pre-receive was told.
func TestBackstop(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx := context.Background()
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.land(y.all()...)
	y.submit("a")
	y.approve("a")
	y.do(flow.Move{Act: board.ActMerge, Task: "a", By: ann, Detail: y.merging("a")})
	state, branch, save := y.moves(layout.State)[0], y.moves(integrationBranch)[0], y.moves(savedA)[0]
	backstop := func(list ...Update) error { return Transaction(ctx, y.judge, list, true, nil) }

	require.Equal(t, flow.RuleTip, rule(t, backstop(branch)), "integration alone")
	require.Equal(t, RuleRef, rule(t, backstop(save)), "a save alone")
	require.Equal(t, RuleHistory, rule(t, backstop(y.to(layout.State, ""))))
	require.Equal(t, RuleHistory, rule(t, backstop(y.to(layout.State, y.at("refs/heads/main")))))
	require.Equal(t, RuleRef, rule(t, backstop(y.to("refs/liza/marks/sprint-1", state.Old))))
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/marks/mine", "", y.at("refs/heads/main")})))
	require.NoError(t, backstop(state, branch, save), "together")
	require.NoError(t, backstop(Update{branchA, y.there(branchA), ""}, Update{"refs/heads/topic", "", branch.New}, Update{"HEAD", "", branch.New}))
	// git says where it takes the ref to be, and may have read that before
	// somebody else moved it.
	require.Equal(t, RuleMoved, rule(t, backstop(Update{integrationBranch, branch.New, branch.New})))
	require.Equal(t, RuleMoved, rule(t, backstop(Update{layout.State, branch.Old, state.New}, branch, save)))

	gittest.Git(t, y.server, "update-ref", layout.State, string(state.New))
	require.NoError(t, backstop(branch), "after its state")
	require.NoError(t, backstop(save), "after its state")
	require.Equal(t, RuleRef, rule(t, backstop(Update{save.Name, "", y.at("refs/heads/main")})), "of a push whose state came second")
	require.Equal(t, RuleBranch, rule(t, backstop(Update{branchA, y.there(branchA), y.at("refs/heads/main")})), "the task is merged")
}

// TestBackstopOfALostRace: two pushes were judged on the same board, and the one
// that came second leaves nothing of what its own moves would have named: no
// save that is no submission, no mark, no branch of a task that was handed on.
func TestBackstopOfALostRace(t *testing.T) {
	t.Parallel()
	y := plain(t)
	ctx := context.Background()
	backstop := func(list ...Update) error { return Transaction(ctx, y.judge, list, true, nil) }
	y.add("a", "b")
	y.claim("a")
	work := y.work("a", "a.txt", "one\n")
	y.land(y.all()...)

	// The winner takes the task over, saves what was left of it, and makes a mark.
	y.now = y.now.Add(2 * time.Hour)
	other := board.Actor("coder-2")
	y.do(flow.Move{Act: board.ActClaim, Task: "a", By: other, Detail: &flow.ClaimMove{Lease: half, Saved: &board.Save{Number: 1, Commit: work}}})
	y.do(flow.Move{Act: board.ActCheckpoint, By: ann, Detail: &flow.CheckpointMove{Reason: "look"}})
	state := y.moves(layout.State)[0]
	lost := y.commit("refs/heads/main", "lost", "x")
	before := y.there(layout.State)
	gittest.Git(t, y.server, "update-ref", layout.State, string(state.New))
	require.Equal(t, RuleRef, rule(t, backstop(Update{savedA, "", lost})), "a save of another commit")
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/saved/b/1", "", work})), "of another task")
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/marks/checkpoint-1", "", before})), "a mark at an earlier state")
	require.Equal(t, RuleRef, rule(t, backstop(Update{"refs/liza/marks/mine", "", state.New})), "a mark of no move")
	require.NoError(t, backstop(Update{savedA, "", work}))
	require.NoError(t, backstop(Update{"refs/liza/marks/checkpoint-1", "", state.New}))
	require.NoError(t, backstop(Update{branchA, y.there(branchA), lost}), "held: the holder was judged before")
	require.Equal(t, RuleBranch, rule(t, backstop(Update{"refs/heads/liza/b", "", lost})), "held by nobody")

	// The push that lost was judged by the board before, on which another agent held the task.
	loser := newJudge(y.judge, Push{})
	loser.after = y.board()
	judged, err := y.judge.BoardAt(before)
	require.NoError(t, err)
	loser.checkTaskBranch(Update{branchA, y.there(branchA), lost}, judged)
	require.Len(t, loser.refused, 1)
	require.Equal(t, RuleBranch, loser.refused[0].Rule)
	require.Contains(t, loser.refused[0].Reason, "another push was first: a is held by coder-2")

	// The same agent by another principal is another holder.
	first, second := *y.board().Task("a"), *y.board().Task("a")
	claim := *first.Claim
	claim.Principal = "rita"
	second.Claim = &claim
	require.True(t, sameHolder(y.board(), &first))
	require.False(t, sameHolder(y.board(), &second))

	// Submitted meanwhile: the branch stays at what is reviewed.
	y.do(flow.Move{Act: board.ActRelease, Task: "a", By: ann, Detail: &flow.ReleaseMove{}})
	gittest.Git(t, y.server, "update-ref", layout.State, string(y.at(layout.State)))
	require.Equal(t, RuleBranch, rule(t, backstop(Update{branchA, y.there(branchA), lost})))
	require.Equal(t, RuleBranch, rule(t, backstop(Update{branchA, y.there(branchA), ""})))
}
