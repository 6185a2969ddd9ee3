package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const usd = 1_000_000 // in the unit of costs

// Only an actor that can have had a session reports it, with a usage that fits
// into its time. History keeps what earlier programs accepted.
func TestSessionsAreTheirAgents(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b | coder-1 claim a | coder-1 intent a | coder-2 claim b")
	s.now = s.now.Add(time.Hour)
	session := func(by Actor, task TaskID, role Role, u Usage) Move {
		u.Sessions = 1
		return s.by(by, ActSession, task, &SessionMove{Provider: "p", Role: role, Outcome: "failed", Usage: u})
	}
	used := Usage{Input: 5_000_000, Output: 90_000, Cost: 30 * usd, Seconds: 1800}
	for _, m := range []Move{
		session("coder-1", "a", Coder, used),
		session("human:ann", "a", Coder, Usage{Input: 9e11}),
		session("human:ann", "", Planner, Usage{Cost: 10_000 * usd}),
		session("planner-1", "a", Planner, used),
		session("planner-1", "", Planner, used),
		session("coder-1", "a", Coder, Usage{Input: 50_000_000}),
	} {
		require.Nil(t, s.board.Admissible(m, nil), "%s %s", m.By, m.Task)
	}
	for _, c := range []struct {
		rule Rule
		move Move
	}{
		{RuleHolder, session("coder-2", "a", Coder, used)},
		{RuleHolder, session("coder-9", "a", Coder, Usage{})},
		{RuleHolder, session("code-reviewer-1", "a", CodeReviewer, used)},
		{RuleLimit, session("coder-1", "a", Coder, Usage{Seconds: 7200})},
		{RuleLimit, session("coder-1", "a", Coder, Usage{Input: 900_000_000_000, Seconds: 1800})},
		{RuleLimit, session("coder-1", "a", Coder, Usage{Output: 1_000_000_000, Seconds: 1800})},
		{RuleLimit, session("planner-1", "", Planner, Usage{Cost: 500_000 * usd, Seconds: 1800})},
	} {
		r := s.board.Admissible(c.move, nil)
		require.NotNil(t, r, "%s %s", c.move.By, c.move.Task)
		require.Equal(t, c.rule, r.Rule)
	}
	require.Empty(t, s.step("coder-1 submit a c-a", new(record)))
	require.Nil(t, s.board.Admissible(session("code-reviewer-1", "a", CodeReviewer, used), nil))
}

// An agent that would have to assume much asks; a person may assume.
func TestAssumptionBudget(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | coder-1 claim a")
	intent := func(by Actor, n int) *Refusal {
		i := Intent{Summary: "s", Validation: "v", Tip: s.board.Task("a").Attempt.Start}
		for range n {
			i.Assumptions = append(i.Assumptions, "it holds")
		}
		return s.board.Admissible(s.by(by, ActIntent, "a", &IntentMove{Intent: i}), nil)
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
	checkpoint := func(by Actor, who string) *Refusal {
		m := s.by(by, ActCheckpoint, "", &CheckpointMove{Reason: "r"})
		m.Principal = who
		return s.board.Admissible(m, nil)
	}
	require.Nil(t, checkpoint("coder-1", ""), "nobody is known")
	list := []Principal{{Name: "ann", Kind: "human", Agents: []string{"human:*", "*"}, Rights: []string{"admin"}},
		{Name: "coders", Kind: "machine", Roles: []Role{Coder}}, {Name: "plans", Kind: "machine", Roles: []Role{Planner}},
		{Name: "merges", Kind: "machine", Roles: []Role{Coder}, Rights: []string{"merge"}}}
	s.docs = s.docs.With([]Edit{{Key{Folder: PrincipalsDoc}, &Principals{List: list}}})
	s.board = Open(s.docs, s.now)
	for who, by := range map[string]Actor{"ann": "human:ann", "plans": "planner-1", "merges": "coder-2"} {
		require.Nil(t, checkpoint(by, who), who)
	}
	require.Nil(t, checkpoint("coder-3", "ann"))
	require.Equal(t, RuleAdmin, checkpoint("coder-1", "coders").Rule)
	// Nor do they end or begin for all what all work in.
	for act, d := range map[Act]Detail{ActTrip: &TripMove{}, ActComplete: &CompleteMove{}, ActSprintStart: &SprintStartMove{},
		ActSprintClose: &SprintCloseMove{}, ActRetro: &RetroMove{Sprint: "sprint-1", Text: "t"}, ActPhase: &PhaseMove{}, ActImport: &ImportMove{}} {
		m := s.by("coder-1", act, "", d)
		m.Principal = "coders"
		r := s.board.Admissible(m, nil)
		require.NotNil(t, r, act.String())
		require.Equal(t, RuleAdmin, r.Rule)
		require.Contains(t, r.Reason, act.String())
		for who, by := range map[string]Actor{"ann": "human:ann", "plans": "planner-1", "merges": "coder-2"} {
			m.By, m.Principal = by, who
			require.Nil(t, s.board.Admissible(m, nil), "%s %s", who, act)
		}
	}
}

// Nobody begins to work towards a goal whose spec is gone; people may merge what is there.
func TestGoalsWithoutTheirSpec(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	claim := s.by("coder-1", ActClaim, "a", &ClaimMove{Lease: Duration(time.Hour), Base: s.tip()})
	require.Nil(t, s.board.Admissible(claim, nil))
	require.Empty(t, s.step("human:ann adopt h1 git:text=specs/vision.md:", new(record)))
	r := s.board.Admissible(claim, nil)
	require.NotNil(t, r)
	require.Equal(t, RuleSpec, r.Rule)
	require.Contains(t, r.Reason, "is no file on integration")
	require.Equal(t, r, s.board.SpecGone("goal-1"))
	require.Nil(t, s.board.SpecGone("goal-9"))
}

// A supervised agent that failed a task leaves what replaces it to supervised ones: nobody
// knows whether others will look.
func TestReplacementsAreLeftToTheSupervised(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add a b | coder-2 claim b | coder-2 release b | coder-1 register coder-1 as=a | coder-1 claim a | coder-1 block a | human:ann supersede a c")
	claim := func(by Actor) *Refusal {
		return s.board.Admissible(s.by(by, ActClaim, "c", &ClaimMove{Lease: s.board.Settings().Config.Lease}), nil)
	}
	require.Nil(t, claim("coder-1"), "coder-2 was registered by hand")
	require.Empty(t, s.step("coder-3 register coder-3 as=b", &record{}))
	require.Equal(t, RuleExhausted, claim("coder-1").Rule)
	require.Nil(t, claim("coder-3"))
}
