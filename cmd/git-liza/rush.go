package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/supervise"
	"github.com/git-liza/git-liza/flow"
)

type rushCommand struct {
	Planners  int          `default:"1" help:"How many planners."`
	Coders    int          `default:"2" help:"How many coders."`
	Reviewers int          `default:"1" help:"How many code-reviewers."`
	Provider  []string     `sep:"none" placeholder:"[ROLE=]P" help:"NAME or NAME:MODEL of git liza providers list, for all or one role; repeatable; default: git config liza.ROLE.provider, liza.provider."`
	UntilIdle bool         `help:"End when every task is final (0), or nothing can move without a human (1)."`
	Follow    flow.AgentID `placeholder:"AGENT" help:"Show this agent's output too."`
}

func (c *rushCommand) Run(inv *invocation) error {
	team, err := newSupervisors(inv)
	if err != nil {
		return err
	}
	team.rush.UntilIdle, team.rush.Follow = c.UntilIdle, c.Follow
	chosen := map[flow.Role]string{}
	for _, text := range c.Provider {
		role, text, err := splitProvider(text)
		if err != nil {
			return err
		}
		if role != "" {
			if err := checkRole(team.board, role); err != nil {
				return err
			}
		}
		chosen[role] = text
	}
	var slots []supervise.Slot
	for _, row := range []struct {
		role flow.Role
		n    int
	}{{flow.Planner, c.Planners}, {flow.Coder, c.Coders}, {flow.CodeReviewer, c.Reviewers}} {
		if row.n < 0 || row.n > maxAgents {
			return usagef("git liza help rush", "between 0 and %d agents of a role, not %d", maxAgents, row.n)
		}
		text := chosen[row.role]
		if text == "" {
			text = chosen[""]
		}
		for range row.n {
			p, err := team.provider(row.role, text)
			if err != nil {
				return err
			}
			slots = append(slots, supervise.Slot{Role: row.role, Provider: p})
		}
	}
	if len(slots) == 0 {
		return usagef("git liza help rush", "a rush needs at least one agent")
	}
	return team.work(slots)
}

// maxAgents bounds the agents of a role in one process.
const maxAgents = 100

// splitProvider parses [ROLE=]P. The role is "" if P is for all roles.
func splitProvider(text string) (flow.Role, string, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || strings.Contains(name, ":") {
		return "", text, nil
	}
	var role flow.Role
	if err := role.UnmarshalText([]byte(name)); err != nil {
		return "", "", usagef("git liza help rush", "--provider: %v", err)
	}
	return role, rest, nil
}
