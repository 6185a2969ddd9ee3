package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/diagnosis"
	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
)

// plan returns the steps of a recovery from the likeliest cause of a finding, with those
// about its session and its task.
func (d diagnoser) plan(f *diagnosis.Finding) []diagnosis.Step {
	var list []diagnosis.Step
	add := func(risk diagnosis.Risk, why, undo string, command ...string) {
		list = append(list, diagnosis.Step{Command: command, Risk: risk, Why: why, Undo: undo})
	}
	if f.Session != "" {
		add(diagnosis.Safe, "Shows all that the session printed.", "it only reads", "git", "liza", "session", "show", f.Session, "--output")
	}
	if f.Task != "" {
		add(diagnosis.Safe, "Shows what the task waits for.", "it only reads", "git", "liza", "show", f.Task, "--why")
	}
	for _, s := range diagnosis.Plan(f.Hypotheses[0].Cause) {
		if folder := d.checkoutOf(f.Task); folder != "" && s.Command[1] != "liza" {
			s.Command = slices.Insert(slices.Clone(s.Command), 1, "-C", folder)
		}
		list = append(list, s)
	}
	if f.Task == "" || d.Clone == nil {
		return list
	}
	caller := flow.Caller{By: d.Clone.Caller.By}
	if by, g, err := d.inv.actor(d.Repo); err == nil {
		caller = flow.Caller{By: by, Principal: d.Principal, Generation: g}
	}
	if d.Board.Opens(flow.ActUnblock, flow.TaskID(f.Task), caller, d.At) == nil {
		add(diagnosis.Moderate, "Sends the task back to work, once the cause is mended.", "git liza claim "+f.Task+" and git liza block "+f.Task, "git", "liza", "task", "unblock", f.Task)
	}
	return list
}

// checkoutOf is the folder of a task's work on this machine, "" if there is none.
func (d diagnoser) checkoutOf(id string) string {
	if id == "" || d.Clone == nil {
		return ""
	}
	t := d.Board.Task(flow.TaskID(id))
	if t == nil {
		return ""
	}
	return d.Checkout(t)
}

// run runs the steps that only read, and asks about each of the others. Without a terminal
// nobody can be asked, and they are left.
func (d diagnoser) run(steps []diagnosis.Step) (ran []view.RanStep, err error) {
	asks := openDialog(d.inv)
	for _, s := range steps {
		command := view.CommandLine(s)
		left := ""
		switch {
		case !s.Ready():
			left = "has a word for you to replace"
		case s.Risk != diagnosis.Safe && asks == nil:
			left = "is " + string(s.Risk) + ", and needs a person at a terminal"
		case s.Risk != diagnosis.Safe:
			yes, err := asks.confirm(fmt.Sprintf("%s is %s. Undone by: %s. Run it?", command, s.Risk, s.Undo))
			if err != nil {
				return ran, err
			}
			if !yes {
				left = "was not wanted"
			}
		}
		if left != "" {
			d.inv.progress("left: %s (%s)", command, left)
			ran = append(ran, view.RanStep{Command: command, Left: left})
			continue
		}
		d.inv.progress("$ %s", command)
		r, err := d.runStep(s)
		if err != nil {
			return ran, err
		}
		d.inv.progress("%s", strings.TrimSpace(r.Output))
		ran = append(ran, r)
	}
	return ran, nil
}

// mostPrinted bounds what is repeated of the output of a step, in bytes.
const mostPrinted = 4 << 10

// runStep runs a step in the folder in which this command runs, without a shell.
func (d diagnoser) runStep(s diagnosis.Step) (view.RanStep, error) {
	program, args := s.Command[0], s.Command[1:]
	if args[0] == "liza" {
		self, err := os.Executable()
		if err != nil {
			return view.RanStep{}, err
		}
		program, args = self, args[1:]
	}
	var printed bytes.Buffer
	r, err := proc.Run(d.inv.ctx, proc.Command{Path: program, Args: args, Dir: d.inv.dir, Env: d.inv.environ, Output: &printed})
	if err != nil {
		return view.RanStep{}, err
	}
	text := secret.New(d.inv.environ, nil).String(printed.String())
	return view.RanStep{Command: view.CommandLine(s), Done: r.Passed(), Output: flow.Excerpt(text, mostPrinted)}, nil
}
