package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/demo"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
)

type demoCommand struct {
	Dir  string `placeholder:"DIR" help:"An empty or new folder for the repository; default: a temporary one, which is kept."`
	Fast bool   `help:"Leave out the last task; rejection, failed merge and repair are still shown."`

	Review bool `help:"Judge the work yourself, in your terminal: two submissions, one of them with a mistake; five minutes."`
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
	if d.Dir != "" {
		d.Dir = pathFrom(inv.dir, d.Dir)
	}
	if c.Review {
		return c.review(inv, &d)
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

// review lets the person at the terminal judge the work of the demo.
func (c *demoCommand) review(inv *invocation, d *demo.Demo) error {
	switch {
	case c.Fast:
		return usagef("git liza demo --review", "--review and --fast exclude each other")
	case inv.json || !isTerminal(inv.stdout) || !inForeground(inv.stdin):
		return usagef("git liza demo", "a review by a person needs a terminal; without --review agents do it")
	}
	report, err := d.Review(inv.ctx, demo.Person{
		Ready: func(ctx context.Context) error {
			_, err := readLine(ctx, bufio.NewReaderSize(inv.stdin, 16))
			return err
		},
		Run: func(command proc.Command) error {
			command.Stdin, command.Output = inv.stdin, inv.stdout
			_, err := foreground(inv, command)
			return err
		},
	})
	if errors.Is(err, demo.ErrNotEmpty) {
		return &flow.Refusal{Rule: flow.RuleNotEmpty, Reason: err.Error(), Hint: "git liza demo --dir " + filepath.Join(report.Dir, "demo")}
	}
	return err
}
