package gitstore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// refused holds that a move is refused by a rule, with a hint, and that the
// board stays where it was.
func (d *desk) refused(rule flow.Rule, m flow.Move) {
	d.t.Helper()
	before := d.at(layout.State)
	_, err := d.try(m)
	var refusal *flow.Refusal
	require.ErrorAs(d.t, err, &refusal)
	require.Equal(d.t, rule, refusal.Rule, refusal.Reason)
	require.NotEmpty(d.t, refusal.Hint)
	require.Equal(d.t, before, d.at(layout.State))
}

// replays holds that another store replays everything, so many moves.
func (d *desk) replays(moves int) {
	d.t.Helper()
	n, breach, err := d.open().Audit.Fsck(context.Background(), true)
	require.NoError(d.t, err)
	require.Nil(d.t, breach)
	require.Equal(d.t, moves, n)
}

func by(actor board.Actor, act board.Act, detail flow.Detail) flow.Move {
	return flow.Move{Act: act, By: actor, Detail: detail}
}

func TestTripAndReset(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.refused(flow.RuleBreaker, by(ann, board.ActReset, &flow.ResetMove{Resolution: "nothing to mend"}))
	d.refused(flow.RuleText, by(ann, board.ActTrip, &flow.TripMove{}))
	d.add("a")
	d.do(by(coder, board.ActAnomaly, &flow.AnomalyMove{Type: board.Workaround}))

	trip := &flow.TripMove{Pattern: "workaround_pattern", Severity: "ARCHITECTURE_FLAW", Patterns: []string{"workaround_pattern"},
		Records: []board.RecordID{"sprint-1/1"}, Evidence: []string{"sprint-1/1"}, Report: "three coders in a row"}
	d.do(by(coder, board.ActTrip, trip))
	require.True(t, d.board().Breaker().Tripped)
	require.Equal(t, board.Checkpoint, d.board().Settings().Control.State)
	require.Equal(t, d.at(layout.State), d.at("refs/liza/marks/checkpoint-1"))
	d.refused(flow.RuleBreaker, by(ann, board.ActTrip, &flow.TripMove{Pattern: "again", Watermark: 1}))
	d.refused(flow.RuleControl, flow.Move{Act: board.ActClaim, Task: "a", By: coder, Detail: &flow.ClaimMove{Lease: half}})

	// A decision alone does not lead past a tripped breaker, nor does a stop.
	d.do(by(ann, board.ActDecide, &flow.DecideMove{Decision: "CONTINUE", Message: "mended"}))
	d.refused(flow.RuleBreaker, by(ann, board.ActResume, &flow.ResumeMove{Reason: "on"}))
	d.do(by(ann, board.ActStop, &flow.StopMove{Reason: "night"}))
	d.do(by(ann, board.ActResume, &flow.ResumeMove{Reason: "morning"}))
	require.Equal(t, board.Checkpoint, d.board().Settings().Control.State)
	d.refused(flow.RuleBreaker, by(ann, board.ActResume, &flow.ResumeMove{Reason: "on"}))
	d.refused(flow.RuleRole, by(coder, board.ActReset, &flow.ResetMove{Resolution: "mine"}))
	d.refused(flow.RuleText, by(ann, board.ActReset, &flow.ResetMove{}))
	d.do(by(ann, board.ActReset, &flow.ResetMove{Resolution: "the spec was split", Upto: 1}))
	require.False(t, d.board().Breaker().Tripped)
	d.do(by(ann, board.ActResume, &flow.ResumeMove{Reason: "on"}))
	require.Equal(t, board.Running, d.board().Settings().Control.State)
	d.replays(9)
}

func TestImport(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	full := func(id board.TaskID) board.TaskInput {
		return board.TaskInput{ID: id, Title: "T", DoneWhen: "D", Spec: "README", Scope: "S"}
	}
	d.do(by(ann, board.ActImport, &flow.ImportMove{Source: "tracker", Tasks: []board.TaskInput{full("a"), {ID: "b", Title: "Later", Draft: true, DependsOn: []board.TaskID{"a"}}}}))
	require.Equal(t, board.Unclaimed, d.board().Task("a").Status)
	require.Equal(t, board.Draft, d.board().Task("b").Status)

	d.refused(flow.RuleExists, by(ann, board.ActImport, &flow.ImportMove{Source: "tracker", Tasks: []board.TaskInput{full("c"), full("A")}}))
	require.Nil(t, d.board().Task("c"), "an import is atomic")
	d.refused(flow.RuleForm, by(ann, board.ActImport, &flow.ImportMove{Source: "tracker"}))
	d.refused(flow.RuleRole, by(coder, board.ActImport, &flow.ImportMove{Source: "tracker", Tasks: []board.TaskInput{full("d")}}))
	missing := full("e")
	missing.Spec = "none.md"
	d.refused(flow.RuleSpec, by(ann, board.ActImport, &flow.ImportMove{Source: "tracker", Tasks: []board.TaskInput{missing}}))
	d.replays(2)
}

// A board is not taken back, nor to rules that this program lacks; to those that
// it has already, nothing is to do.
func TestMigrate(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	for _, to := range []int{-1, 0, board.NewestFormat + 1} {
		d.refused(flow.RuleFormat, by(ann, board.ActMigrate, &flow.MigrateMove{To: to}))
	}
	r, err := d.try(by(ann, board.ActMigrate, &flow.MigrateMove{To: board.NewestFormat}))
	require.NoError(t, err)
	require.True(t, r.Already)
	d.refused(flow.RuleRole, by(coder, board.ActMigrate, &flow.MigrateMove{To: board.NewestFormat + 1}))
	d.replays(1)
}

func TestPrincipals(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	enter := func(name string, rights ...string) *flow.PrincipalMove {
		return &flow.PrincipalMove{Principal: board.Principal{Name: name, Kind: "human", Agents: []string{"human:*"}, Rights: rights}}
	}
	d.refused(flow.RuleAdmin, by(ann, board.ActPrincipal, enter("bob")))
	d.refused(flow.RuleForm, by(ann, board.ActPrincipal, enter("../x", "admin")))
	d.refused(flow.RuleForm, by(ann, board.ActPrincipal, enter("ann", "king")))
	d.refused(flow.RuleForm, by(ann, board.ActPrincipal, &flow.PrincipalMove{Principal: board.Principal{Name: "ann", Kind: "cat", Rights: []string{"admin"}}}))
	d.refused(flow.RuleRole, by(coder, board.ActPrincipal, enter("ann", "admin")))
	d.refused(flow.RuleNotFound, by(ann, board.ActPrincipal, &flow.PrincipalMove{Principal: board.Principal{Name: "eve"}, Remove: true}))

	d.add("a")
	d.submit("a", coder, "a.txt", "a\n")
	reviewer := board.Actor("code-reviewer-1")
	d.do(flow.Move{Act: board.ActReview, Task: "a", By: reviewer, Detail: &flow.ReviewMove{Lease: half}})
	d.do(flow.Move{Act: board.ActApprove, Task: "a", By: reviewer, Detail: &flow.ApproveMove{Commit: d.board().Task("a").Submission.Commit}})
	// The first admin shuts the door behind everybody else.
	d.do(by(ann, board.ActPrincipal, enter("ann", "admin")))
	as := func(principal string, m flow.Move) flow.Move {
		m.Principal = principal
		return m
	}
	config := board.DefaultConfig()
	config.DriftAlarm = 7
	hotfix := d.commit(d.board().Settings().Integration.Tip, "hotfix.txt", "mended\n")
	for _, m := range []flow.Move{
		by(ann, board.ActPrincipal, enter("bob", "admin")),
		by(ann, board.ActConfig, &flow.ConfigMove{Config: config}),
		by(ann, board.ActAmend, &flow.AmendMove{Config: &config}),
		by(ann, board.ActMigrate, &flow.MigrateMove{To: board.NewestFormat + 1}),
		by(ann, board.ActAdopt, &flow.AdoptMove{Commit: hotfix, Onto: d.board().Settings().Integration.Tip, Reason: "R"}),
	} {
		d.refused(flow.RulePrincipal, m)
		d.refused(flow.RulePrincipal, as("bob", m))
	}
	d.do(as("ann", by(ann, board.ActConfig, &flow.ConfigMove{Config: config})))
	d.do(as("ann", by(ann, board.ActPrincipal, enter("bob", "merge"))))
	require.Len(t, d.board().Principals().List, 2)
	d.refused(flow.RuleAdmin, as("bob", by(ann, board.ActPrincipal, enter("bob", "admin"))))
	d.refused(flow.RuleAdmin, as("ann", by(ann, board.ActPrincipal, &flow.PrincipalMove{Principal: board.Principal{Name: "ann"}, Remove: true})))

	// Merging is then for those with the right.
	fail := flow.Move{Act: board.ActIntegrationFail, Task: "a", By: coder, Detail: &flow.IntegrationFailMove{Onto: d.board().Settings().Integration.Tip, Paths: []string{"a.txt"}}}
	d.refused(flow.RulePrincipal, fail)
	d.refused(flow.RuleAdmin, as("ann", fail))
	d.do(as("bob", fail))
	require.Equal(t, board.IntegrationFailed, d.board().Task("a").Status)

	d.do(as("ann", by(ann, board.ActPrincipal, &flow.PrincipalMove{Principal: board.Principal{Name: "bob"}, Remove: true})))
	require.Len(t, d.board().Principals().List, 1)
	d.replays(12)
}

// The command picks what is final, so only another client can ask for more.
func TestArchiveTakesFinalTasksOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("a", "b")
	d.do(flow.Move{Act: board.ActAbandon, Task: "a", By: ann, Detail: &flow.AbandonMove{Reason: "not needed"}})
	d.refused(flow.RuleState, by(ann, board.ActArchive, &flow.ArchiveMove{Tasks: []board.TaskID{"a", "b"}}))
	d.refused(flow.RuleNotFound, by(ann, board.ActArchive, &flow.ArchiveMove{Tasks: []board.TaskID{"c"}}))
	d.refused(flow.RuleForm, by(ann, board.ActArchive, &flow.ArchiveMove{}))
	d.do(by(ann, board.ActArchive, &flow.ArchiveMove{Tasks: []board.TaskID{"a"}}))
	d.refused(flow.RuleNotFound, by(ann, board.ActArchive, &flow.ArchiveMove{Tasks: []board.TaskID{"a"}}))
	require.Equal(t, board.Abandoned, d.board().Task("a").Status)
	d.replays(4)
}

// The commands never make such merges; another client may try.
func TestMergesThatGitDidNotMake(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	config := board.DefaultConfig()
	config.Gates = []board.Gate{{Name: "unit", Command: "make test", Required: true, Timeout: half}}
	d.do(by(ann, board.ActConfig, &flow.ConfigMove{Config: config}))
	d.add("a")
	base := d.board().Settings().Integration.Tip
	commit := d.submit("a", coder, "a.txt", "a\n")
	d.approve("a", commit)
	honest, _, err := merging(d.store, "a")(d.board(), d.now)
	require.NoError(t, err)
	tree := honest.Detail.(*flow.MergeMove).Tree
	mergeOf := func(tree, onto, submission git.ID) git.ID {
		id, err := d.store.Commits.MergeCommit(context.Background(), tree, onto, submission, "Merge a")
		require.NoError(t, err)
		return id
	}
	other := d.commit(base, "b.txt", "not reviewed\n")
	otherTree, err := d.store.objects.Commit(other)
	require.NoError(t, err)
	absent := git.ID("0123456789012345678901234567890123456789")
	for name, c := range map[string]struct {
		rule flow.Rule
		edit func(*flow.MergeMove)
	}{
		"without its gate": {flow.RuleGate, func(*flow.MergeMove) {}},
		"gate on another tree": {flow.RuleGate, func(m *flow.MergeMove) {
			m.Receipts = []board.Receipt{{Gate: "unit", Command: "make test", Tree: otherTree.Tree, Result: board.Pass}}
		}},
		"gate that failed": {flow.RuleGate, func(m *flow.MergeMove) {
			m.Receipts = []board.Receipt{{Gate: "unit", Command: "make test", Tree: tree, Exit: 1, Result: board.Fail}}
		}},
		"another gate's command": {flow.RuleGate, func(m *flow.MergeMove) {
			m.Receipts = []board.Receipt{{Gate: "unit", Command: "true", Tree: tree, Result: board.Pass}}
		}},
		"a tree of its own":        {flow.RuleMerge, func(m *flow.MergeMove) { m.Commit, m.Tree = mergeOf(otherTree.Tree, base, commit), otherTree.Tree }},
		"the right tree, misnamed": {flow.RuleMerge, func(m *flow.MergeMove) { m.Tree = otherTree.Tree }},
		"parents in another order": {flow.RuleMerge, func(m *flow.MergeMove) { m.Commit = mergeOf(tree, commit, base) }},
		"no merge at all":          {flow.RuleMerge, func(m *flow.MergeMove) { m.Commit = commit }},
		"work nobody approved":     {flow.RuleCommit, func(m *flow.MergeMove) { m.Submission, m.Commit = other, mergeOf(otherTree.Tree, base, other) }},
		"onto another tip":         {flow.RuleTip, func(m *flow.MergeMove) { m.Onto = other }},
		"a commit that is absent":  {flow.RuleFact, func(m *flow.MergeMove) { m.Commit = absent }},
		"a drift made up":          {flow.RuleFact, func(m *flow.MergeMove) { m.Drift = 7 }},
	} {
		m := *honest.Detail.(*flow.MergeMove)
		c.edit(&m)
		before := d.at(layout.State)
		_, err := d.try(flow.Move{Act: board.ActMerge, Task: "a", By: ann, Detail: &m})
		var refusal *flow.Refusal
		require.ErrorAs(t, err, &refusal, name)
		require.Equal(t, c.rule, refusal.Rule, name+": "+refusal.Reason)
		require.Equal(t, before, d.at(layout.State), name)
		require.Equal(t, base, d.at("refs/heads/integration"), name)
	}
	m := honest.Detail.(*flow.MergeMove)
	m.Receipts = []board.Receipt{{Gate: "unit", Command: "make test", Tree: tree, By: ann, Duration: "1s", Result: board.Pass}}
	d.do(honest)
	require.Equal(t, m.Commit, d.at("refs/heads/integration"))
	d.replays(9)
}

func TestSessionMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("a")
	session := func(by board.Actor, task board.TaskID, outcome string, output int64) flow.Move {
		return flow.Move{Act: board.ActSession, Task: task, By: by, Detail: &flow.SessionMove{Provider: "p", Role: board.Coder, Outcome: outcome,
			Usage: board.Usage{Input: 10, Cached: 4, Output: output, Cost: 132500}}}
	}
	d.refused(flow.RuleNotFound, session(coder, "a", "failed", 1))
	d.do(by(ann, board.ActRegister, &flow.RegisterMove{Agent: board.AgentID(coder)}))
	d.refused(flow.RuleForm, session(coder, "a", "fine", 1))
	d.refused(flow.RuleForm, session(coder, "", "failed", 1))
	d.refused(flow.RuleLimit, session(coder, "a", "failed", -1))
	c := board.DefaultConfig()
	c.Budgets.Sprint.Tokens = 20
	d.do(by(ann, board.ActConfig, &flow.ConfigMove{Config: c}))
	d.refused(flow.RuleHolder, session(coder, "a", "failed", 4))
	d.claim("a", coder)
	d.do(d.released("a"))
	before := d.board().Task("a").Changed
	d.do(session(coder, "a", "failed", 4))
	d.do(session(coder, "a", "failed", 4))
	used := board.Usage{Sessions: 2, Input: 20, Cached: 8, Output: 8, Cost: 265000}
	b := d.board()
	require.Equal(t, used, b.Task("a").Usage)
	require.Equal(t, used, b.Goal("goal-1").Usage)
	require.Equal(t, used, b.Sprint("sprint-1").Usage)
	require.Equal(t, before, b.Task("a").Changed)
	d.refused(flow.RuleBudget, flow.Move{Act: board.ActClaim, Task: "a", By: coder, Detail: &flow.ClaimMove{Lease: half}})

	// An archived task stays as it is; its goal and sprint pay for the session.
	d.do(flow.Move{Act: board.ActAbandon, Task: "a", By: ann, Detail: &flow.AbandonMove{Reason: "no use"}})
	d.do(by(ann, board.ActArchive, &flow.ArchiveMove{Tasks: []board.TaskID{"a"}}))
	d.do(session(coder, "a", "lost", 1))
	require.Equal(t, used, d.board().Task("a").Usage)
	require.Equal(t, int64(2*10+7), d.board().Goal("goal-1").Usage.Tokens())
	require.Empty(t, d.board().Tasks())
	d.replays(11)
}
