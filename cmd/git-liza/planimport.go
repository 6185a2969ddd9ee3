package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planImportCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"A plan in a form that plan check takes; - for standard input."`
	Update bool   `help:"Describe tasks anew that the board has otherwise. Nobody may be at work on them."`
	goalFlag
}

// Help says what one move does.
func (c *planImportCommand) Help() string {
	return `The plan is checked as plan check does; if there is an error nothing changes. Then one move
enters all tasks that the board lacks. Tasks that it describes equally stay as they are: a
second import changes nothing. Tasks that it describes otherwise need --update; all are
named, and nothing changes without it. Open tasks of the goal that the file lacks are named
and stay. A plan that says a schedule, and a task-graph.json, which goes level by level,
schedules the goal; one that has a schedule already only with --update.`
}

// A planImportTool is plan check and plan import with the plan as a text.
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
		return (&planCheckCommand{File: "-", goalFlag: c.goalFlag}).Run(&own)
	}
	return (&planImportCommand{File: "-", Update: c.Update, goalFlag: c.goalFlag}).Run(&own)
}

// errNothingNew ends the move of an import that would change nothing.
var errNothingNew = errors.New("the board has the whole plan")

func (c *planImportCommand) Run(inv *invocation) error {
	i, err := openImport(planReader{inv, c.File}, c.Goal)
	if err != nil {
		return err
	}
	i.update = c.Update
	clone, file, goal := i.clone, i.file, i.goal
	ground, err := work.OpenGround(inv.ctx, clone, clone.By)
	if err != nil {
		return err
	}
	warnings, err := i.check(file, ground)
	if err != nil {
		return err
	}
	if err := i.trust(); err != nil {
		return err
	}
	act, err := i.approved()
	if err != nil {
		return err
	}
	made, err := clone.For(goal).Move(inv.ctx, act, "", i.detail)
	switch {
	case errors.Is(err, errNothingNew) && i.found.Schedule != nil:
		made, err = clone.For(goal).Make(inv.ctx, flow.ActSchedule, "", &flow.ScheduleMove{Schedule: *i.found.Schedule})
	case errors.Is(err, errNothingNew):
		made.Already, err = true, nil
	}
	if err != nil {
		return inFile(c.File, i.lines, err)
	}
	v := view.PlanDifferenceOf(&file.Plan, i.found, goal)
	data := struct {
		view.PlanDifference
		Warnings []planfile.Finding `json:"warnings"`
	}{v, append([]planfile.Finding{}, warnings...)}
	return inv.result(made, data, "%s", planLines(c.File, nil, warnings)+v.Imported())
}

// planGoal opens the repository for the plan of a goal, which only boards of rules
// version 4 take.
func planGoal(inv *invocation, named flow.GoalID) (*work.Clone, flow.GoalID, error) {
	clone, err := chooseGoal(inv).open(named)
	if err != nil {
		return nil, "", err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, "", err
	}
	if !b.HasRules(4) {
		return nil, "", &flow.Refusal{Rule: flow.RuleVersion, Hint: "git liza migrate", Reason: "only a board of rules version 4 keeps all that a plan says of a task"}
	}
	return clone, cmp.Or(clone.Named, clone.Usual, b.Settings().Goal), nil
}

// A planImport enters a plan.
type planImport struct {
	planReader
	clone  *work.Clone
	file   *planfile.File
	goal   flow.GoalID
	update bool

	of *flow.PlanRef // the artifact of the workflow that the plan is, nil if it asks for none

	found plan.Difference // from the board of the last attempt
	lines []int           // of the tasks of the move
}

// openImport reads a plan for a goal of the board, with the texts of tasks named from the
// root of the repository.
func openImport(r planReader, goal flow.GoalID) (i *planImport, err error) {
	i = &planImport{planReader: r}
	if i.clone, i.goal, err = planGoal(r.invocation, goal); err != nil {
		return nil, err
	}
	if i.file, err = r.read(); err != nil {
		return nil, err
	}
	for n := range i.file.Plan.Tasks {
		t := &i.file.Plan.Tasks[n]
		t.TaskInput = rooted(i.clone, t.TaskInput)
	}
	return i, nil
}

// trust lets this machine run the verify commands of its human's plan.
func (i *planImport) trust() error {
	list := make([]flow.TaskInput, 0, len(i.file.Plan.Tasks))
	for _, t := range i.file.Plan.Tasks {
		list = append(list, t.TaskInput)
	}
	return i.clone.Trust.AllowTasks(i.ctx, list)
}

// detail is the move that leads from a board to the plan.
func (i *planImport) detail(b *flow.Board) (flow.Detail, error) {
	i.found, i.lines = plan.Compare(&i.file.Plan, b, i.goal), nil
	if err := cmp.Or(b.Err(), i.checkChanges()); err != nil {
		return nil, err
	}
	m := &flow.AddMove{Schedule: i.found.Schedule}
	for _, n := range i.found.Added {
		m.Tasks = append(m.Tasks, i.file.Plan.Tasks[n].TaskInput)
		i.lines = append(i.lines, i.file.TaskLine(n))
	}
	for _, one := range i.found.Changed {
		m.Update = append(m.Update, i.file.Plan.Tasks[one.Task].TaskInput)
		i.lines = append(i.lines, i.file.TaskLine(one.Task))
	}
	if len(i.lines) == 0 {
		return nil, errNothingNew
	}
	if i.of != nil {
		return &flow.ImportMove{Source: i.of.Path, Tasks: m.Tasks, Update: m.Update, Schedule: m.Schedule, Plan: i.of}, nil
	}
	return m, nil
}

// approved names the plan in the move where a phase of the goal's workflow produces one,
// and returns the act of the move.
func (i *planImport) approved() (flow.Act, error) {
	b, _, err := i.clone.Store.Board(i.ctx)
	if err != nil {
		return 0, err
	}
	w := flow.FindWorkflow(b, i.goal)
	if w == nil || !slices.ContainsFunc(w.Phases, func(f flow.WorkflowPhase) bool {
		return slices.ContainsFunc(f.Artifacts, func(a flow.PhaseArtifact) bool { return w.Type(a.Type).IsPlan() })
	}) {
		return flow.ActAdd, b.Err()
	}
	file, err := rootedFile(i.invocation, i.clone, i.path)
	if err != nil {
		return 0, err
	}
	data, err := i.readInput(i.path)
	if err != nil {
		return 0, err
	}
	i.of = &flow.PlanRef{Path: file, Blob: i.clone.Repo.Hash("blob", data)}
	if doc := b.Tracked(file); doc != nil && doc.Blob != "" && doc.Blob != i.of.Blob {
		name := b.Settings().Integration.Name
		return 0, &flow.Refusal{Rule: flow.RuleArtifact, Hint: "git diff " + name + " -- " + shell.Quote(i.path), Reason: git.Visible(i.path) + " is not as it is on " + name}
	}
	return flow.ActImport, nil
}

// checkChanges refuses changes that nobody asked for, and those of tasks in work.
func (i *planImport) checkChanges() error {
	var wrong []planfile.Finding
	hint := "git liza plan import " + i.path + " --update"
	for _, one := range i.found.Changed {
		t := &i.file.Plan.Tasks[one.Task]
		add := func(code plan.Code, format string, args ...any) {
			wrong = append(wrong, planfile.Finding{Line: i.file.TaskLine(one.Task), Code: code, Task: t.ID, Reason: fmt.Sprintf(format, args...)})
		}
		switch keys := strings.Join(one.Keys, ", "); {
		case one.Goal != i.goal:
			add(plan.Exists, "there is a task %s already, of %s", t.ID, one.Goal)
		case !one.Status.IsDescribed():
			add(plan.Code(flow.RuleState), "%s is %s, and the board has otherwise: %s", t.ID, one.Status, keys)
		case !i.update:
			add(plan.Exists, "there is a task %s already, and the board has otherwise: %s", t.ID, keys)
			continue
		default:
			continue
		}
		hint = "git liza plan diff " + i.path
	}
	if i.found.Schedule != nil && i.found.WasSet && !i.update {
		wrong = append(wrong, planfile.Finding{Line: 1, Code: plan.Exists, Reason: fmt.Sprintf("%s has another schedule already", i.goal)})
	}
	if len(wrong) == 0 {
		return nil
	}
	return i.refuse(wrong, nil, hint)
}

type planDiffCommand struct {
	File string `arg:"" placeholder:"FILE" help:"A plan in a form that plan check takes; - for standard input."`
	goalFlag
}

func (c *planDiffCommand) Run(inv *invocation) error {
	i, err := openImport(planReader{inv, c.File}, c.Goal)
	if err != nil {
		return err
	}
	if wrong, _ := i.file.Locate(nil); len(wrong) > 0 {
		return i.refuse(wrong, nil, "git liza help plan check")
	}
	b, _, err := i.clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	v := view.PlanDifferenceOf(&i.file.Plan, plan.Compare(&i.file.Plan, b, i.goal), i.goal)
	if err := b.Err(); err != nil {
		return err
	}
	return inv.answer("", v, v.Text(inv.width()))
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
