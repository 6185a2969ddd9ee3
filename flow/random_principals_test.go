package flow

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// accounts are the principals of random games as scenarios write them, and
// which of the players each may act as.
var accounts = map[string]struct {
	words []string
	as    []string
}{
	"ann":  {[]string{"rights=admin", "agents=human:ann", "roles=planner"}, []string{"human:ann", "planner-1"}},
	"bob":  {[]string{"agents=human:*"}, players},
	"host": {[]string{"kind=machine", "roles=coder"}, []string{"coder-1", "coder-2", "coder-3"}},
	"desk": {[]string{"kind=machine", "agents=code-reviewer-*,security-reviewer-*,gates-*"},
		[]string{"code-reviewer-1", "code-reviewer-2", "security-reviewer-1", "gates-1"}},
	"both": {[]string{"kind=machine", "agents=*-2", "roles=coder,code-reviewer"}, []string{"coder-2", "code-reviewer-2"}},
	"gate": {[]string{"kind=machine", "agents=coder-3", "rights=merge"}, []string{"coder-3"}},
}

// govern enters the first principals, unless the game has done so itself.
func (g *gamble) govern() {
	if len(g.board.Principals().List) > 0 {
		return
	}
	for _, name := range []string{"ann", "bob", "host", "desk", "both"} {
		who := "human:ann"
		if name != "ann" {
			who += "@ann"
		}
		m, facts := g.moveOf(append([]string{who, "principal", name}, g.wordsOf(name)...))
		require.Nil(g.rt, g.judge(m, facts))
		g.made = append(g.made, m)
	}
}

// wordsOf are the words of a principal, with its account on a code host.
func (g *gamble) wordsOf(name string) []string {
	words := slices.Clone(accounts[name].words)
	words = append(words, "accounts=github.com/"+name)
	if name == "ann" {
		words = append(words, "rights=admin,vouch")
	}
	return words
}

// behind is a principal for a player's move: mostly one that may make it.
func (g *gamble) behind(who string) string {
	known := g.board.Principals()
	if len(known.List) == 0 {
		return pick(g.rt, "", "", "", "", "", "", "", "host")
	}
	luck := pick(g.rt, 0, 1, 2, 3, 4, 5, 6, 7)
	if a := g.board.Agent(board.AgentID(who)); a != nil && a.Principal != "" && luck > 1 {
		return a.Principal
	}
	var may []string
	for _, one := range known.List {
		if slices.Contains(accounts[one.Name].as, who) {
			may = append(may, one.Name)
		}
	}
	if len(may) > 0 && luck > 0 {
		return pick(g.rt, may...)
	}
	return pick(g.rt, append(slices.Sorted(maps.Keys(accounts)), "", "eve")...)
}

func (g *gamble) as(who string) string {
	if p := g.behind(who); p != "" {
		return who + "@" + p
	}
	return who
}

// account is a principal to enter, change or remove.
func (g *gamble) account() []string {
	name := pick(g.rt, slices.Sorted(maps.Keys(accounts))...)
	words := append([]string{name}, g.wordsOf(name)...)
	return append(words, pick(g.rt, "+x", "+x", "rights=admin", "rights=", "rights=root", "+remove"))
}

// holding is the task on which a move is made by its claimer or holder:
// with a registration, the one that the agent holds. Without principals their
// names are only recorded for claims and submissions.
func (g *gamble) holding(m Move) board.TaskID {
	switch d := m.Detail.(type) {
	case *ClaimMove, *SubmitMove:
		return m.Task
	case *IntentMove, *HandoffMove:
		if len(g.board.Principals().List) > 0 {
			return m.Task
		}
	case *RegisterMove:
		if a := g.board.Agent(d.Agent); a != nil {
			return a.Task
		}
	}
	return ""
}

// known holds an accepted move to what principals are for.
func (g *gamble) known(prior *board.Board, m Move, held board.TaskID) {
	t := g.rt
	if m.Act == board.ActClaim && g.board.Task(m.Task).Status != board.Claimed {
		held = "" // a limit has blocked the task instead
	}
	if held != "" && m.Principal != "" {
		if g.worked[held] == nil {
			g.worked[held] = map[string]bool{}
		}
		g.worked[held][m.Principal] = true
	}
	before, after := prior.Principals(), g.board.Principals()
	if m.Act == board.ActApprove && m.Principal != "" && !g.standsFor(prior, m) {
		require.False(t, g.worked[m.Task][m.Principal], "%s approved %s, which it coded", m.Principal, m.Task)
	}
	if len(after.List) > 0 {
		require.True(t, slices.ContainsFunc(after.List, func(p board.Principal) bool { return slices.Contains(p.Rights, "admin") && p.Kind == "human" }))
	}
	if len(before.List) == 0 {
		return
	}
	require.NotEmpty(t, after.List, "the principals are gone")
	require.NotNil(t, before.Find(m.Principal), "%s by nobody known", m.Act)
	require.Contains(t, accounts[m.Principal].as, string(m.By), "%s acted as %s", m.Principal, m.By)
	if a := prior.Agent(m.By.Agent()); a != nil && a.Principal != "" && a.Principal != m.Principal {
		require.Equal(t, board.ActRegister, m.Act, "%s, which %s registered, acted for %s", a.ID, a.Principal, m.Principal)
		require.Nil(t, before.Find(a.Principal))
	}
	if m.Act == board.ActMerge || m.Act == board.ActIntegrationFail {
		require.True(t, !before.Anybody("merge") || before.May(m.Principal, "merge"), "%s merged", m.Principal)
	}
	if slices.Contains([]board.Act{board.ActConfig, board.ActPrincipal, board.ActAmend, board.ActAdopt}, m.Act) {
		require.True(t, before.May(m.Principal, "admin"), "%s governed", m.Principal)
	}
}

// standsFor reports whether a person has approved its own submission for the role human
// alone, for which it stands.
func (g *gamble) standsFor(prior *board.Board, m Move) bool {
	if !m.By.IsHuman() || !prior.Task(m.Task).Submission.Human {
		return false
	}
	for _, j := range g.board.Task(m.Task).Judgements {
		if v := j.Verdict; v != nil && j.Role != board.HumanRole && v.By == m.By && v.At.Equal(m.At) {
			return false
		}
	}
	return true
}
