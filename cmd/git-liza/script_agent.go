package main

import (
	"cmp"
	"errors"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type scriptAgentCommand struct{}

func (c *scriptAgentCommand) Run(inv *invocation) error {
	var id board.AgentID
	if err := id.UnmarshalText([]byte(inv.as)); err != nil {
		return usagef("git liza help agent", "LIZA_AGENT_ID: %v", err)
	}
	a := playbook.Agent{Role: id.Role(), Capacity: sessionCapacity(inv.getenv, id.Role()), Task: board.TaskID(inv.getenv("LIZA_TASK")), Commit: inv.getenv("LIZA_REVIEW_COMMIT"), Question: board.RecordID(inv.getenv("LIZA_QUESTION")),
		Dir: inv.getenv("LIZA_WORKTREE"), Environ: append(slices.Clone(inv.environ), "LIZA_AGENT_ID="+inv.as), Log: inv.stdout}
	if a.Capacity == 0 {
		return usagef("git liza help agent", "LIZA_CAPACITY says what a %s is for: plans, does or judges", id.Role())
	}
	if a.Capacity != board.Plans || a.Question != "" {
		if err := a.Task.UnmarshalText([]byte(a.Task)); err != nil {
			return usagef("git liza help agent", "LIZA_TASK: %v", err)
		}
	}
	a.Dir = cmp.Or(a.Dir, inv.dir)
	err := a.Run(inv.ctx)
	if errors.Is(err, playbook.ErrPlaybook) {
		return &flow.Refusal{Rule: flow.RulePlaybook, Reason: err.Error(), Hint: "git config " + playbook.ConfigKey + " PATH"}
	}
	return err
}
