package main

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

type agentCommand struct {
	Role     board.Role    `arg:"" help:"As git liza role list names it: planner, coder, code-reviewer."`
	ID       board.AgentID `placeholder:"ID" help:"Default: the first number that is free."`
	Provider string        `placeholder:"P" help:"NAME or NAME:MODEL of git liza providers list, or exec:COMMAND, which gets the prompt on standard input; default: git config liza.ROLE.provider, liza.provider."`
	Goal     board.GoalID  `placeholder:"G" help:"Take only work of this goal; default: all goals in progress, by priority."`
	Once     bool          `help:"End after one piece of work."`
	MaxWait  duration      `placeholder:"D" help:"End after so long without work."`
}

func (c *agentCommand) Run(inv *invocation) error {
	if c.ID != "" && c.ID.Role() != c.Role {
		return usagef("git liza help agent", "%s is not the id of %s", c.ID, c.Role.One())
	}
	team, err := newSupervisors(inv)
	if err != nil {
		return err
	}
	if err := team.serve(c.Goal); err != nil {
		return err
	}
	p, err := team.provider(c.Role, c.Provider)
	if err != nil {
		return err
	}
	return team.work([]supervise.Slot{{Role: c.Role, ID: c.ID, Provider: p, Once: c.Once, MaxWait: time.Duration(c.MaxWait)}})
}
