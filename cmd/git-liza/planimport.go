package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planImportCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"A plan in a form that git liza check takes; - for standard input."`
	Update bool   `help:"Describe tasks anew that the board has otherwise. Nobody may be at work on them."`
	goalFlag
}

// A planImportTool is check and plan import with the plan as a text.
type planImportTool struct {
	Plan   string `required:"" help:"The plan: a YAML list of tasks, a mapping with feature, levels, defaults and tasks, or a task-graph in JSON."`
	Check  bool   `help:"Only check it."`
	Update bool   `help:"Describe tasks anew that the board has otherwise. Nobody may be at work on them."`
	goalFlag
}

// Run checks the plan, or enters it.
func (c *planImportTool) Run(inv *invocation) error {
	own := *inv
	own.stdin = strings.NewReader(c.Plan)
	if c.Check {
		return checkPlan(&own, "-", c.goalFlag)
	}
	return (&planImportCommand{File: "-", Update: c.Update, goalFlag: c.goalFlag}).Run(&own)
}

func (c *planImportCommand) Run(inv *invocation) error {
	r := planReader{inv, c.File}
	i, err := openImport(r, c.Goal)
	if err != nil {
		return err
	}
	i.Update = c.Update
	warnings, err := i.Check(inv.ctx)
	if err != nil {
		return r.refuse(err, i.File, "git liza help check")
	}
	if err := i.Trust.AllowTasks(inv.ctx, i.Tasks()); err != nil {
		return err
	}
	if i.Of == nil {
		i.Of, err = r.approved(i)
	}
	if err != nil {
		return err
	}
	made, err := i.Enter(inv.ctx)
	if err != nil {
		return inFiles(c.File, r.places(i), r.refuse(err, i.File, ""))
	}
	v, people := view.PlanDifferenceOf(&i.File.Plan, i.Found, i.Goal), listForPeople(i, made.After)
	summary := v.Imported()
	if len(people) > 0 {
		warnings, summary = append(warnings, people...), summary+view.Count(len(people), "warning")+" of what needs a person\n"
	}
	data := struct {
		view.PlanDifference
		Warnings []planfile.Finding `json:"warnings"`
		*planfile.Report
	}{v, append([]planfile.Finding{}, warnings...), reportOf(i.File)}
	return inv.result(made, data, "%s", r.lines(i.File, nil, warnings)+summary)
}

// listForPeople warns of the tasks of a plan that agents leave alone, and of those that ask for
// the verdict of a person. b is nil where the board had them all.
func listForPeople(i *work.PlanImport, b *board.Board) (list []planfile.Finding) {
	if b == nil {
		return nil
	}
	forbidden := flow.ClassRefusals(b)
	for n, t := range i.File.Plan.Tasks {
		at := planfile.Finding{File: i.File.TaskFile(n), Line: i.File.TaskLine(n), Task: t.ID}
		if r := forbidden[t.ID]; r != nil {
			at.Code, at.Reason = plan.Code(r.Rule), "only people claim it: "+r.Reason
			list = append(list, at)
		}
		if slices.Contains(t.ReviewBy, board.HumanRole) {
			at.Code, at.Reason = plan.Code(flow.RuleNeeds), string(t.ID)+" asks for a person, who judges it"
			list = append(list, at)
		}
	}
	return list
}

// planGoal opens the repository for the plan of a goal.
func planGoal(inv *invocation, named board.GoalID) (*work.Clone, board.GoalID, error) {
	clone, err := openGoal(inv, named)
	if err != nil {
		return nil, "", err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, "", err
	}
	return clone, cmp.Or(clone.Named, clone.Usual, b.Settings().Goal), nil
}

// openImport reads a plan for a goal of the board, with the texts of tasks named from the
// root of the repository.
func openImport(r planReader, goal board.GoalID) (i *work.PlanImport, err error) {
	i = &work.PlanImport{Path: r.path}
	if i.Clone, i.Goal, err = planGoal(r.invocation, goal); err != nil {
		return nil, err
	}
	if due := r.due(i); due != nil {
		return work.OpenPlan(r.ctx, i.Clone, i.Goal, *due)
	}
	if i.File, err = r.read(); err != nil {
		return nil, err
	}
	for n := range i.File.Plan.Tasks {
		t := &i.File.Plan.Tasks[n]
		t.TaskInput = rooted(i.Clone, t.TaskInput)
	}
	if !i.File.Governs() {
		return i, nil
	}
	if r.path == "-" {
		return nil, &flow.Refusal{Rule: flow.RuleClass, Hint: "git liza plan import FILE", Reason: "what the plan says of automation holds for its tasks only from a file on integration"}
	}
	file, err := rootedFile(r.invocation, i.Clone, r.path)
	if err == nil {
		i.Govern(file)
	}
	return i, err
}

// due returns the approved plan of that path whose tasks are not imported yet, if the branch
// that people work on lacks its file, else nil.
func (r planReader) due(i *work.PlanImport) *board.PlanRef {
	b, _, err := i.Store.Board(r.ctx)
	file, wrong := rootedFile(r.invocation, i.Clone, r.path)
	if _, here := os.Stat(r.path); !errors.Is(here, fs.ErrNotExist) || err != nil || wrong != nil {
		return nil
	}
	return lists.Find(board.DuePlans(b, i.Goal), func(of board.PlanRef) bool { return of.Path == file })
}

// approved names the plan where a phase of the goal's workflow produces one, else it is
// nil.
func (r planReader) approved(i *work.PlanImport) (*board.PlanRef, error) {
	b, _, err := i.Store.Board(r.ctx)
	if err != nil || !work.MakesPlan(b, i.Goal) {
		return nil, err
	}
	if i.File.Report.System != "" && r.isFolder() {
		return nil, &flow.Refusal{Rule: flow.RuleArtifact, Hint: "git liza goal show " + string(i.Goal),
			Reason: fmt.Sprintf("the workflow of %s makes its plan, so that its tasks come from no folder", i.Goal)}
	}
	file, err := rootedFile(r.invocation, i.Clone, r.path)
	if err != nil {
		return nil, err
	}
	data, err := r.readInput(r.path)
	if err != nil {
		return nil, err
	}
	of := &board.PlanRef{Path: file, Blob: i.Repo.Hash("blob", data)}
	if doc := b.Tracked(file); doc != nil && doc.Blob != "" && doc.Blob != of.Blob {
		name := b.Settings().Integration.Name
		return nil, &flow.Refusal{Rule: flow.RuleArtifact, Hint: "git diff " + git.ShortBranch(r.ctx, i.Repo, name) + " -- " + shell.Quote(r.path), Reason: git.Visible(r.path) + " is not as it is on " + name}
	}
	return of, b.Err()
}

type planDiffCommand struct {
	File string `arg:"" placeholder:"FILE" help:"A plan in a form that git liza check takes; - for standard input."`
	goalFlag
}

func (c *planDiffCommand) Run(inv *invocation) error {
	r := planReader{inv, c.File}
	i, err := openImport(r, c.Goal)
	if err != nil {
		return err
	}
	if wrong, _ := i.File.Locate(nil); len(wrong) > 0 {
		return r.refuse(&work.PlanFaults{Wrong: wrong}, i.File, "git liza help check")
	}
	b, _, err := i.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	i.File.Settle(func(id board.TaskID) bool { return b.Task(id) != nil })
	v := view.PlanDifferenceOf(&i.File.Plan, plan.Compare(&i.File.Plan, b, i.Goal), i.Goal)
	if err := b.Err(); err != nil {
		return err
	}
	data := struct {
		view.PlanDifference
		*planfile.Report
	}{v, reportOf(i.File)}
	return inv.answer("", data, r.reportLines(i.File)+v.Text(inv.width()))
}

type planExportCommand struct {
	Alone bool `help:"For a board that has nothing else: without needs of tasks that are not in the plan, and without gaps between levels."`
	goalFlag
}

func (c *planExportCommand) Run(inv *invocation) error {
	clone, goal, err := planGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	p := planfile.Of(b, goal)
	if err := b.Err(); err != nil {
		return err
	}
	if c.Alone {
		planfile.Detach(p)
	}
	text, err := planfile.Write(p)
	if err != nil {
		return err
	}
	return inv.answer("", map[string]any{"goal": goal, "tasks": len(p.Tasks), "plan": string(text)}, string(text))
}
