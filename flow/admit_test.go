package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

const usd = 1_000_000 // in the unit of costs

// Only an actor that can have had a session reports it, with a usage that fits
// into its time. History keeps what earlier programs accepted.
func TestSessionsAreTheirAgents(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b | coder-1 claim a | coder-1 intent a | coder-2 claim b")
	s.now = s.now.Add(time.Hour)
	session := func(by board.Actor, task board.TaskID, role board.Role, u board.Usage) Move {
		u.Sessions = 1
		return s.by(by, board.ActSession, task, &SessionMove{Provider: "p", Role: role, Outcome: "failed", Usage: u})
	}
	used := board.Usage{Input: 5_000_000, Output: 90_000, Cost: 30 * usd, Seconds: 1800}
	for _, m := range []Move{
		session("coder-1", "a", board.Coder, used),
		session("human:ann", "a", board.Coder, board.Usage{Input: 9e11}),
		session("human:ann", "", board.Planner, board.Usage{Cost: 10_000 * usd}),
		session("planner-1", "a", board.Planner, used),
		session("planner-1", "", board.Planner, used),
		session("coder-1", "a", board.Coder, board.Usage{Input: 50_000_000}),
	} {
		require.Nil(t, Admissible(s.board, m, nil), "%s %s", m.By, m.Task)
	}
	for _, c := range []struct {
		rule Rule
		move Move
	}{
		{RuleHolder, session("coder-2", "a", board.Coder, used)},
		{RuleHolder, session("coder-9", "a", board.Coder, board.Usage{})},
		{RuleHolder, session("code-reviewer-1", "a", board.CodeReviewer, used)},
		{RuleLimit, session("coder-1", "a", board.Coder, board.Usage{Seconds: 7200})},
		{RuleLimit, session("coder-1", "a", board.Coder, board.Usage{Input: 900_000_000_000, Seconds: 1800})},
		{RuleLimit, session("coder-1", "a", board.Coder, board.Usage{Output: 1_000_000_000, Seconds: 1800})},
		{RuleLimit, session("planner-1", "", board.Planner, board.Usage{Cost: 500_000 * usd, Seconds: 1800})},
	} {
		r := Admissible(s.board, c.move, nil)
		require.NotNil(t, r, "%s %s", c.move.By, c.move.Task)
		require.Equal(t, c.rule, r.Rule)
	}
	require.Empty(t, s.step("coder-1 submit a c-a", new(record)))
	require.Nil(t, Admissible(s.board, session("code-reviewer-1", "a", board.CodeReviewer, used), nil))
}

// An agent that would have to assume much asks; a person may assume.
func TestAssumptionBudget(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a")
	intent := func(by board.Actor, n int) *Refusal {
		i := board.Intent{Summary: "s", Validation: "v", Tip: s.board.Task("a").Attempt.Start}
		for range n {
			i.Assumptions = append(i.Assumptions, "it holds")
		}
		return Admissible(s.board, s.by(by, board.ActIntent, "a", &IntentMove{Intent: i}), nil)
	}
	require.Nil(t, intent("coder-1", maxAssumptions))
	require.Nil(t, intent("human:ann", maxAssumptions+1))
	r := intent("coder-1", maxAssumptions+1)
	require.NotNil(t, r)
	require.Equal(t, RuleIntent, r.Rule)
	require.Contains(t, r.Hint, "git liza block a ")
}

// Agents of a machine's account do not stop the board for all.
func TestWhoStopsTheBoard(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	checkpoint := func(by board.Actor, who string) *Refusal {
		m := s.by(by, board.ActCheckpoint, "", &CheckpointMove{Reason: "r"})
		m.Principal = who
		return Admissible(s.board, m, nil)
	}
	require.Nil(t, checkpoint("coder-1", ""), "nobody is known")
	list := []board.Principal{{Name: "ann", Kind: "human", Agents: []string{"human:*", "*"}, Rights: []string{"admin"}},
		{Name: "coders", Kind: "machine", Roles: []board.Role{board.Coder}}, {Name: "plans", Kind: "machine", Roles: []board.Role{board.Planner}},
		{Name: "merges", Kind: "machine", Roles: []board.Role{board.Coder}, Rights: []string{"merge"}}}
	s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.PrincipalsDoc}, Document: &board.Principals{List: list}}})
	s.board = board.Open(s.docs, s.now)
	for who, by := range map[string]board.Actor{"ann": "human:ann", "plans": "planner-1", "merges": "coder-2"} {
		require.Nil(t, checkpoint(by, who), who)
	}
	require.Nil(t, checkpoint("coder-3", "ann"))
	require.Equal(t, RuleAdmin, checkpoint("coder-1", "coders").Rule)
	// Nor do they end or begin for all what all work in.
	for act, d := range map[board.Act]Detail{board.ActTrip: &TripMove{}, board.ActComplete: &CompleteMove{}, board.ActSprintStart: &SprintStartMove{},
		board.ActSprintClose: &SprintCloseMove{}, board.ActRetro: &RetroMove{Sprint: "sprint-1", Text: "t"}, board.ActPhase: &PhaseMove{}, board.ActImport: &ImportMove{}} {
		m := s.by("coder-1", act, "", d)
		m.Principal = "coders"
		r := Admissible(s.board, m, nil)
		require.NotNil(t, r, act.String())
		require.Equal(t, RuleAdmin, r.Rule)
		require.Contains(t, r.Reason, act.String())
		for who, by := range map[string]board.Actor{"ann": "human:ann", "plans": "planner-1", "merges": "coder-2"} {
			m.By, m.Principal = by, who
			require.Nil(t, Admissible(s.board, m, nil), "%s %s", who, act)
		}
	}
}

// Nobody begins to work towards a goal whose spec is gone; people may merge what is there.
func TestGoalsWithoutTheirSpec(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	claim := s.by("coder-1", board.ActClaim, "a", &ClaimMove{Lease: board.Duration(time.Hour), Base: s.tip()})
	require.Nil(t, Admissible(s.board, claim, nil))
	require.Empty(t, s.step("human:ann adopt h1 git:text=specs/vision.md:", new(record)))
	r := Admissible(s.board, claim, nil)
	require.NotNil(t, r)
	require.Equal(t, RuleSpec, r.Rule)
	require.Contains(t, r.Reason, "is no file on integration")
	require.Equal(t, r, SpecGone(s.board, "goal-1"))
	require.Nil(t, SpecGone(s.board, "goal-9"))
}

// A supervised agent that failed a task leaves what replaces it to supervised ones: nobody
// knows whether others will look.
func TestReplacementsAreLeftToTheSupervised(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add a b | coder-2 claim b | coder-2 release b | coder-1 register coder-1 as=a | coder-1 claim a | coder-1 block a | human:ann supersede a c")
	claim := func(by board.Actor) *Refusal {
		return Admissible(s.board, s.by(by, board.ActClaim, "c", &ClaimMove{Lease: s.board.Settings().Config.Lease}), nil)
	}
	require.Nil(t, claim("coder-1"), "coder-2 was registered by hand")
	require.Empty(t, s.step("coder-3 register coder-3 as=b", &record{}))
	require.Equal(t, RuleExhausted, claim("coder-1").Rule)
	require.Nil(t, claim("coder-3"))
}
