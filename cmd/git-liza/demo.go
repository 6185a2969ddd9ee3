package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/cmd/git-liza/demo"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
)

type demoCommand struct {
	Dir  string `placeholder:"DIR" help:"An empty or new folder for the repository; default: a temporary one, which is kept."`
	Fast bool   `help:"Leave out the last task; rejection, failed merge and repair are still shown."`
}

func (c *demoCommand) Run(inv *invocation) error {
	if inv.getenv("GIT_DIR") != "" {
		return usagef("env -u GIT_DIR -u GIT_WORK_TREE git liza demo", "GIT_DIR names a repository, and the demo makes one of its own")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	d := demo.Demo{Dir: c.Dir, Fast: c.Fast, Program: program, Environ: inv.environ, Out: inv.stdout}
	if inv.json {
		d.Out = io.Discard
	}
	if d.Dir != "" && !filepath.IsAbs(d.Dir) {
		d.Dir = filepath.Join(inv.dir, d.Dir)
	}
	report, err := d.Run(inv.ctx)
	if errors.Is(err, demo.ErrNotEmpty) {
		hint := "git liza demo --dir " + shell.Quote(filepath.Join(report.Dir, "demo"))
		if c.Fast {
			hint += " --fast"
		}
		return &flow.Refusal{Rule: flow.RuleNotEmpty, Reason: err.Error(), Hint: hint}
	}
	if err != nil {
		return err
	}
	return inv.answer("changed", report, fmt.Sprintf("all %d tasks are merged; %s", len(report.Tasks), report.Tests))
}
