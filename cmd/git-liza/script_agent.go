package main

import (
	"errors"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/playbook"
	"github.com/git-liza/git-liza/flow"
)

type scriptAgentCommand struct{}

func (c *scriptAgentCommand) Run(s *session) error {
	var id flow.AgentID
	if err := id.UnmarshalText([]byte(s.as)); err != nil {
		return usagef("git liza help agent", "LIZA_AGENT_ID: %v", err)
	}
	a := playbook.Agent{Role: id.Role(), Task: flow.TaskID(s.getenv("LIZA_TASK")), Commit: s.getenv("LIZA_REVIEW_COMMIT"),
		Dir: s.getenv("LIZA_WORKTREE"), Environ: append(slices.Clone(s.environ), "LIZA_AGENT_ID="+s.as), Log: s.stdout}
	if a.Role != flow.Planner {
		if err := a.Task.UnmarshalText([]byte(a.Task)); err != nil {
			return usagef("git liza help agent", "LIZA_TASK: %v", err)
		}
	}
	if a.Dir == "" {
		a.Dir = s.dir
	}
	err := a.Run(s.ctx)
	if errors.Is(err, playbook.ErrPlaybook) {
		return &flow.Refusal{Rule: flow.RulePlaybook, Reason: err.Error(), Hint: "git config " + playbook.ConfigKey + " PATH"}
	}
	return err
}
