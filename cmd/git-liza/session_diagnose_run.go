package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/diagnosis"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/secret"
)

// plan returns the steps of a recovery from the first cause in a text, with those about its
// session and its task.
func (d diagnoser) plan(r *diagnosis.Report) (list []diagnosis.Step) {
	add := func(risk diagnosis.Risk, why, undo string, command ...string) {
		list = append(list, diagnosis.Step{Command: command, Risk: risk, Why: why, Undo: undo})
	}
	if r.Session != "" {
		add(diagnosis.Safe, "Shows all that the session printed.", "it only reads", "git", "liza", "session", "show", r.Session, "--output")
	}
	var t *board.Task
	folder := ""
	if r.Task != "" {
		add(diagnosis.Safe, "Shows what the task waits for.", "it only reads", "git", "liza", "show", r.Task, "--why")
		if t = d.reading.Board.Task(board.TaskID(r.Task)); t != nil {
			folder = d.reading.Checkout(t)
		}
	}
	for _, f := range r.Causes[:min(len(r.Causes), 1)] {
		for _, s := range f.Steps {
			if folder != "" && s.Command[1] != "liza" {
				s.Command = slices.Insert(slices.Clone(s.Command), 1, "-C", folder)
			}
			list = append(list, s)
		}
	}
	if t != nil && t.Block != nil {
		add(diagnosis.Moderate, "Sends the task back to work, once the cause is mended.", "git liza claim "+r.Task+" and git liza block "+r.Task, "git", "liza", "task", "unblock", r.Task)
	}
	return list
}

// run runs the steps that only read, and asks about each of the others. Without a terminal
// nobody can be asked, and they are left.
func (d diagnoser) run(steps []diagnosis.Step) (ran []view.RanStep, err error) {
	asks := openDialog(d.inv)
	for _, s := range steps {
		r := view.RanStep{Command: view.CommandLine(s)}
		switch {
		case !s.Ready():
			r.Left = "has a word for you to replace"
		case d.inv.getenv(confine.Files) != "": // git would do here what the session's repository says
			r.Left = "is not run for a confined session"
		case s.Risk == diagnosis.Safe:
		case asks == nil:
			r.Left = "is " + string(s.Risk) + ", and needs a person at a terminal"
		default:
			yes, err := asks.confirm(fmt.Sprintf("%s is %s. Undone by: %s. Run it?", r.Command, s.Risk, s.Undo))
			if err != nil {
				return ran, err
			}
			if !yes {
				r.Left = "was not wanted"
			}
		}
		if r.Left != "" {
			d.inv.progress("left: %s (%s)", r.Command, r.Left)
		} else if err := d.runStep(s, &r); err != nil {
			return ran, err
		}
		ran = append(ran, r)
	}
	return ran, nil
}

// mostPrinted bounds what is repeated of the output of a step, in bytes.
const mostPrinted = 4 << 10

// runStep runs a step in the folder in which this command runs, without a shell.
func (d diagnoser) runStep(s diagnosis.Step, ran *view.RanStep) error {
	d.inv.progress("$ %s", ran.Command)
	program, args := s.Command[0], s.Command[1:]
	if args[0] == "liza" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		program, args = self, args[1:]
	}
	var printed bytes.Buffer
	r, err := proc.Run(d.inv.ctx, proc.Command{Path: program, Args: args, Dir: d.inv.dir, Env: d.inv.environ, Output: &printed})
	if err != nil {
		return err
	}
	ran.Done, ran.Output = r.Passed(), board.Excerpt(secret.New(d.inv.environ).String(printed.String()), mostPrinted)
	d.inv.progress("%s", strings.TrimSpace(ran.Output))
	return nil
}
