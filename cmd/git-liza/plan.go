package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planFileCommands struct {
	Show planShowCommand `cmd:"" help:"The tasks of a plan, or of the board, by level: the longest chain, and how long some numbers of agents need."`

	Import planImportCommand `cmd:"" help:"Enter the tasks of a plan in one move."`
	Export planExportCommand `cmd:"" help:"Print the open tasks of a goal as a plan."`
	Diff   planDiffCommand   `cmd:"" help:"What a plan says otherwise than the board."`

	Classify planClassifyCommand `cmd:"" help:"How far the work of plans and specs may be automated, as they declare it or as it is inferred."`
}

// checkPlan says all that is wrong with a plan.
func checkPlan(inv *invocation, file string, goal goalFlag) error {
	r := planReader{inv, file}
	read, err := r.read()
	if err != nil {
		return err
	}
	ground, err := r.ground(goal.Goal)
	if err != nil {
		return err
	}
	warnings, err := ground.Check(file, read)
	if err != nil {
		return r.refuse(err, read, "git liza help check")
	}
	text := r.lines(read, nil, warnings) + fmt.Sprintf("%s: %s, no error\n", file, view.Count(len(read.Plan.Tasks), "task"))
	return inv.answer("", planData(read, true, nil, warnings), text)
}

// A planReader reads the plan of a file, or of standard input.
type planReader struct {
	*invocation
	path string
}

func (r planReader) read() (*planfile.File, error) {
	if file, err := r.readForms(); file != nil || err != nil {
		return file, err
	}
	data, err := r.readInput(r.path)
	if err != nil {
		return nil, err
	}
	return planfile.Read(r.path, data, gitstore.MaxMove), nil
}

// ground is what the plan is checked against, for a goal that the user named, or the usual
// one.
func (r planReader) ground(named board.GoalID) (*work.Ground, error) {
	clone, err := r.reader()
	if err != nil {
		return nil, err
	}
	if named != "" {
		b, _, err := clone.Store.Board(r.ctx)
		if err != nil {
			return nil, err
		}
		if err := checkGoal(b, named); err != nil {
			return nil, err
		}
		clone.Named = named
	}
	by := board.Human("")
	if r.as != "" {
		by = board.Actor(r.as)
	}
	return work.OpenGround(r.ctx, clone, by)
}

// refuse prints what is wrong with the plan of a file, if that is the error, and returns
// the error of it. hint is "" for that of the error.
func (r planReader) refuse(err error, file *planfile.File, hint string) error {
	var faults *work.PlanFaults
	if !errors.As(err, &faults) {
		return err
	}
	f := failure{code: exitFailed, outcome: "failed", rule: flow.RulePlan, hint: cmp.Or(hint, faults.Hint),
		reason: fmt.Sprintf("%s has %s", r.path, view.Count(len(faults.Wrong), "error"))}
	return r.partly(f, planData(file, false, faults.Wrong, faults.Warnings), r.lines(file, faults.Wrong, faults.Warnings))
}

// planData is what programs are told of a plan; of one that is refused neither feature nor
// tasks.
func planData(file *planfile.File, sound bool, wrong, warnings []planfile.Finding) map[string]any {
	data := map[string]any{"errors": append([]planfile.Finding{}, wrong...), "warnings": append([]planfile.Finding{}, warnings...)}
	if sound {
		data["feature"], data["tasks"] = file.Plan.Feature, len(file.Plan.Tasks)
	}
	if file.Report.System != "" {
		report := reportOf(file)
		data["system"], data["unmapped"], data["finished"] = report.System, report.Left, report.Finished
	}
	return data
}

// lines formats what has no place in the plan of a file, errors and warnings as compilers do.
func (r planReader) lines(file *planfile.File, wrong, warnings []planfile.Finding) string {
	var text strings.Builder
	text.WriteString(r.reportLines(file))
	for _, one := range wrong {
		fmt.Fprintf(&text, "%s:%d: %s: %s\n", git.Visible(r.named(one.File)), one.Line, one.Code, plaintext.Line(one.Reason))
	}
	for _, one := range warnings {
		fmt.Fprintf(&text, "%s:%d: warning: %s: %s\n", git.Visible(r.named(one.File)), one.Line, one.Code, plaintext.Line(one.Reason))
	}
	return text.String()
}
