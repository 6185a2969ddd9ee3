package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/demo"
	"github.com/git-liza/git-liza/cmd/git-liza/playbook"
	"github.com/git-liza/git-liza/flow"
)

// demoCommands show the whole flow without any language model.
type demoCommands struct {
	Demo        demoCommand        `cmd:"" group:"Set up" help:"The whole flow on a repository made for it, with built-in agents; about ten seconds."`
	ScriptAgent scriptAgentCommand `cmd:"" hidden:"" help:"The built-in agent that follows a playbook; supervisors spawn it."`
}

type demoCommand struct {
	Dir  string `placeholder:"DIR" help:"An empty or new folder for the repository; default: a temporary one, which is kept."`
	Fast bool   `help:"Leave out the last task; rejection, failed merge and repair are shown all the same."`
}

func (c *demoCommand) Run(s *session) error {
	if s.getenv("GIT_DIR") != "" {
		return usagef("env -u GIT_DIR -u GIT_WORK_TREE git liza demo", "GIT_DIR names a repository, and the demo makes one of its own")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	d := demo.Demo{Dir: c.Dir, Fast: c.Fast, Program: program, Environ: s.environ, Out: s.stdout}
	if s.json {
		d.Out = io.Discard
	}
	if d.Dir != "" && !filepath.IsAbs(d.Dir) {
		d.Dir = filepath.Join(s.dir, d.Dir)
	}
	report, err := d.Run(s.ctx)
	if errors.Is(err, demo.ErrNotEmpty) {
		return &flow.Refusal{Rule: "not_empty", Reason: err.Error(), Hint: "git liza demo --dir " + filepath.Join(report.Dir, "demo")}
	}
	if err != nil {
		return err
	}
	return s.answer("changed", report, fmt.Sprintf("all %d tasks are merged; %s", len(report.Tasks), report.Tests))
}

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
		return &flow.Refusal{Rule: "playbook", Reason: err.Error(), Hint: "git config " + playbook.ConfigKey + " PATH"}
	}
	return err
}
