package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A PlanImport enters the tasks of a plan into a goal. The texts that tasks name are
// named from the root of the repository.
type PlanImport struct {
	*Clone
	Path   string // of the plan, as hints name it
	File   *planfile.File
	Goal   board.GoalID
	Update bool           // also describe tasks anew
	Of     *board.PlanRef // the artifact of the goal's workflow that the plan is, nil if it asks for none

	Found plan.Difference // from the board of the last attempt
	Moved []int           // the tasks of the move
}

// A PlanFaults is the error of a plan that cannot be entered. Nothing was.
type PlanFaults struct {
	Path            string
	Wrong, Warnings []planfile.Finding
	Hint            string
}

// Error has the first fault, with its line.
func (e *PlanFaults) Error() string {
	text := fmt.Sprintf("%s:%d: %s", git.Visible(filepath.Join(e.Path, e.Wrong[0].File)), e.Wrong[0].Line, e.Wrong[0].Reason)
	if more := len(e.Wrong) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// MakesPlan reports whether a phase of a goal's workflow produces the plan from which its
// tasks are imported.
func MakesPlan(b *board.Board, goal board.GoalID) bool {
	return planPhase(board.FindWorkflow(b, goal)) >= 0
}

// planPhase is the place of the phase that produces the plan, -1 if none does.
func planPhase(w *board.Workflow) int {
	if w == nil {
		return -1
	}
	return slices.IndexFunc(w.Phases, func(f board.WorkflowPhase) bool {
		return slices.ContainsFunc(f.Artifacts, func(a board.PhaseArtifact) bool { return w.Type(a.Type).IsPlan() })
	})
}

// plannedPhase is the phase that tasks of a goal's plan will have, while it is not there
// yet: the one after that which produces the plan. Else it is "".
func plannedPhase(b *board.Board, goal board.GoalID) board.PhaseID {
	w := board.FindWorkflow(b, goal)
	made := planPhase(w)
	if made < 0 || made+1 == len(w.Phases) {
		return ""
	}
	now := b.Goal(goal).Phase
	if slices.ContainsFunc(w.Phases[:made+1], func(f board.WorkflowPhase) bool { return f.Name == now }) {
		return w.Phases[made+1].Name
	}
	return ""
}

// OpenPlan reads an approved plan of a goal as integration has it.
func OpenPlan(ctx context.Context, c *Clone, goal board.GoalID, of board.PlanRef) (*PlanImport, error) {
	data, err := c.Repo.Objects(ctx).ReadKind(of.Blob, "blob", gitstore.MaxMove)
	if err != nil {
		return nil, err
	}
	i := &PlanImport{Clone: c, Path: of.Path, File: planfile.Read(of.Path, data, gitstore.MaxMove), Goal: goal, Of: &of}
	i.Govern(of.Path)
	return i, nil
}

// Govern lets the tasks of a plan that says how far they may be automated stand on its
// file, too, so that what it says holds for them.
func (i *PlanImport) Govern(file string) {
	if !i.File.Governs() {
		return
	}
	for n := range i.File.Plan.Tasks {
		t := &i.File.Plan.Tasks[n]
		if spec, _, _ := strings.Cut(t.Spec, "#"); spec != file && !slices.Contains(t.BasedOn, file) {
			t.BasedOn = append(slices.Clone(t.BasedOn), file)
		}
	}
}

// Check settles a plan and returns the warnings about it on its ground. The error is a *[PlanFaults] if
// it has errors.
func (g *Ground) Check(name string, file *planfile.File) ([]planfile.Finding, error) {
	file.Settle(g.OnBoard)
	for i := range file.Plan.Tasks {
		t := &file.Plan.Tasks[i]
		design := path.Join(path.Dir(t.Spec), "design.md")
		if g.Find != nil && file.Report.System == "task-graph.json" && g.Find(design) == plan.Blob && !slices.Contains(t.BasedOn, design) {
			t.BasedOn = append(t.BasedOn, design)
		}
	}
	faults := []plan.Fault{}
	if len(file.Plan.Tasks) > 0 {
		faults = plan.Check(&file.Plan, g.Ground)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	wrong, warnings := file.Locate(faults)
	if len(wrong) > 0 {
		return nil, &PlanFaults{name, wrong, warnings, "git liza check " + shell.Quote(name)}
	}
	return warnings, nil
}

// Check returns the warnings about the plan, for whoever enters it.
func (i *PlanImport) Check(ctx context.Context) ([]planfile.Finding, error) {
	b, _, err := i.Store.Board(ctx)
	if err != nil {
		return nil, err
	}
	ground, err := i.groundOf(ctx, b, i.By, i.Goal)
	if err != nil {
		return nil, err
	}
	return ground.Check(i.Path, i.File)
}

// errNothingNew ends the move of an import that would change nothing.
var errNothingNew = errors.New("the board has the whole plan")

// Enter makes the move that leads from the board to a plan that was checked. The error is
// a *[PlanFaults] where the board has tasks otherwise.
func (i *PlanImport) Enter(ctx context.Context) (gitstore.Result, error) {
	act := board.ActAdd
	if i.Of != nil {
		act = board.ActImport
	}
	r, err := i.For(i.Goal).Move(ctx, act, "", i.detail)
	switch {
	case errors.Is(err, errNothingNew) && i.Found.Schedule != nil:
		return i.For(i.Goal).Make(ctx, board.ActSchedule, "", &flow.ScheduleMove{Schedule: *i.Found.Schedule})
	case errors.Is(err, errNothingNew):
		r.Already, err = true, nil
	}
	return r, err
}

// Tasks are those of the plan.
func (i *PlanImport) Tasks() []board.TaskInput {
	return lists.Of(i.File.Plan.Tasks, func(t plan.Task) board.TaskInput { return t.TaskInput })
}

// detail is the move that leads from a board to the plan. The import of an artifact may
// say that the board has all its tasks.
func (i *PlanImport) detail(b *board.Board) (flow.Detail, error) {
	i.Found, i.Moved = plan.Compare(&i.File.Plan, b, i.Goal), nil
	if err := cmp.Or(b.Err(), i.checkChanges()); err != nil {
		return nil, err
	}
	m := &flow.AddMove{Schedule: i.Found.Schedule}
	for _, n := range i.Found.Added {
		m.Tasks = append(m.Tasks, i.File.Plan.Tasks[n].TaskInput)
		i.Moved = append(i.Moved, n)
	}
	for _, one := range i.Found.Changed {
		m.Update = append(m.Update, i.File.Plan.Tasks[one.Task].TaskInput)
		i.Moved = append(i.Moved, one.Task)
	}
	switch {
	case i.Of != nil:
		return &flow.ImportMove{Source: i.Of.Path, Tasks: m.Tasks, Update: m.Update, Schedule: m.Schedule, Plan: i.Of}, nil
	case len(i.Moved) == 0:
		return nil, errNothingNew
	}
	return m, nil
}

// checkChanges refuses changes that nobody asked for, and those of tasks in work.
func (i *PlanImport) checkChanges() error {
	var wrong []planfile.Finding
	hint := "git liza plan import " + shell.Quote(i.Path) + " --update"
	for _, one := range i.Found.Changed {
		t := &i.File.Plan.Tasks[one.Task]
		add := func(code plan.Code, format string, args ...any) {
			wrong = append(wrong, planfile.Finding{File: i.File.TaskFile(one.Task), Line: i.File.TaskLine(one.Task), Code: code, Task: t.ID, Reason: fmt.Sprintf(format, args...)})
		}
		switch keys := strings.Join(one.Keys, ", "); {
		case one.Goal != i.Goal:
			add(plan.Exists, "there is a task %s already, of %s", t.ID, one.Goal)
		case !one.Status.IsDescribed():
			add(plan.Code(flow.RuleState), "%s is %s, and the board has otherwise: %s", t.ID, one.Status, keys)
		case !i.Update:
			add(plan.Exists, "there is a task %s already, and the board has otherwise: %s", t.ID, keys)
			continue
		default:
			continue
		}
		hint = "git liza plan diff " + shell.Quote(i.Path)
	}
	if i.Found.Schedule != nil && i.Found.WasSet && !i.Update {
		wrong = append(wrong, planfile.Finding{Line: 1, Code: plan.Exists, Reason: fmt.Sprintf("%s has another schedule already", i.Goal)})
	}
	if len(wrong) == 0 {
		return nil
	}
	return &PlanFaults{i.Path, wrong, nil, hint}
}
