package board

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// DuePlans are the approved plans of a goal that tasks have not been imported from as
// they are, and whose phase has ended.
func DuePlans(b *Board, goal GoalID) (list []PlanRef) {
	w, g := FindWorkflow(b, goal), b.Goal(goal)
	if w == nil || g == nil {
		return nil
	}
	for _, a := range ArtifactsOf(b, goal, "") {
		if !w.Type(a.Type).IsPlan() || w.Place(a.Phase) >= w.Place(g.Phase) {
			continue
		}
		for _, doc := range a.Files {
			if doc.Approved() && !slices.ContainsFunc(g.Plans, func(o PlanRef) bool { return o.Path == doc.Path && o.Blob == doc.Blob }) {
				list = append(list, PlanRef{Path: doc.Path, Blob: doc.Blob})
			}
		}
	}
	return list
}

// A PhaseMap gives open tasks of a phase another one.
type PhaseMap struct {
	From PhaseID `yaml:"from"` // "" is that of tasks that have none
	To   PhaseID `yaml:"to"`
}

// Of is the workflow as a goal has it; w if a goal has it already.
func (w *Workflow) Of(goal GoalID) *Workflow {
	if w == nil || w.Goal != "" {
		return w
	}
	own := *w
	own.Goal = goal
	return &own
}

// A Workflow says in which phases a goal is worked on, the document
// workflows/<goal>.yaml: a copy of a file, made when a person chose it. The rules read
// only the copy. A goal without one has a single phase, in which nothing is bounded.
type Workflow struct {
	Goal     GoalID          `yaml:"goal"`
	Name     string          `yaml:"name"`
	Path     string          `yaml:"path"` // that it was read from, "" of a built-in one
	Blob     ObjectID        `yaml:"blob"` // "" of a built-in one
	About    string          `yaml:"about"`
	Phases   []WorkflowPhase `yaml:"phases"`
	Types    []ArtifactType  `yaml:"types"`
	Parallel int             `yaml:"parallel"` // tasks of the goal that are claimed at once; 0 sets no bound
}

// PlainWorkflow is the name of the workflow of goals that have no document of one.
const PlainWorkflow = "liza"

// Command is the command that reads the workflow of a goal anew, or gives it this one.
func (w *Workflow) Command(goal GoalID) string {
	return "git liza goal set --id " + string(goal) + " --workflow " + shell.Quote(cmp.Or(w.Path, w.Name))
}

// A PhaseID names a phase of a workflow, by the rules of a [TaskID].
type PhaseID string

// AnyPhase is the phase of tasks that may be worked on in every phase.
const AnyPhase PhaseID = "any"

// UnmarshalText accepts what [TaskID.UnmarshalText] accepts.
func (id *PhaseID) UnmarshalText(text []byte) error { return unmarshalID(id, text) }

// A WorkflowPhase is a part of the work on a goal, with what must be there before the
// next one begins.
type WorkflowPhase struct {
	Name      PhaseID         `yaml:"name"`
	About     string          `yaml:"about"`
	Roles     []Role          `yaml:"roles"` // that do its tasks; none: all
	Kinds     []Kind          `yaml:"kinds"` // of its tasks; none: all
	Artifacts []PhaseArtifact `yaml:"artifacts"`
	Tasks     []TaskTemplate  `yaml:"tasks"` // added when it begins for the first time
	Gates     []string        `yaml:"gates"` // at a phase, that its exit needs; none: all required ones
	Human     bool            `yaml:"human"` // only a person ends it
}

// A PhaseArtifact is what a phase produces.
type PhaseArtifact struct {
	Type  string `yaml:"type"`       // name of one of the workflow's
	Path  string `yaml:"path"`       // glob; {goal} is the id of the goal
	Count int    `yaml:"count,keep"` // at least so many are approved; all that are there are
}

// A TaskTemplate describes a task of a phase. {goal} is the id of the goal.
type TaskTemplate struct {
	Name      string   `yaml:"name"` // unique in the phase
	Title     string   `yaml:"title"`
	Role      Role     `yaml:"role"`
	Kind      Kind     `yaml:"kind"`
	Owns      []string `yaml:"owns"`
	DoneWhen  string   `yaml:"done_when"`
	Verify    string   `yaml:"verify"`
	Spec      string   `yaml:"spec"` // "" is that of the goal
	Scope     string   `yaml:"scope"`
	BasedOn   []string `yaml:"based_on"`
	ReviewBy  []Role   `yaml:"review_by"`
	DependsOn []string `yaml:"depends_on"` // names of templates that stand before it in the phase
}

// An ArtifactType says what the artifacts of a name have in common.
type ArtifactType struct {
	Name     string      `yaml:"name"`
	About    string      `yaml:"about"`
	Format   string      `yaml:"format"` // plan of files that tasks are imported from, any of those of which nothing is asked, else markdown or ""
	Schema   LongText    `yaml:"schema"` // JSON Schema of the front matter
	Headings []Heading   `yaml:"headings"`
	Frozen   []Condition `yaml:"frozen_when"` // one that holds is enough
}

// PlanType is the format, or the name, of the type of artifacts that tasks are imported from.
const PlanType = "plan"

// IsPlan reports whether tasks are imported from the artifacts.
func (t *ArtifactType) IsPlan() bool {
	return t != nil && (t.Format == PlanType || t.Format == "" && t.Name == PlanType)
}

// A Heading must be in an artifact.
type Heading struct {
	Title string `yaml:"title"`
	Min   int    `yaml:"min"` // bytes of text below it
}

// A Condition holds where a field of the front matter has one of the values.
type Condition struct {
	Field  string   `yaml:"field"`
	Values []string `yaml:"values"`
}

// An Every says at what a person is asked. The zero value asks for nothing.
type Every uint8

// What a person is asked at.
const (
	EveryTask  Every = iota + 1 // each submission needs the verdict of a person
	EveryPhase                  // only a person ends a phase
)

var everyNames = names{"of tasks or phases", "task", "phase"}

// String is the name of what a person is asked at.
func (e Every) String() string { return everyNames.name(uint8(e)) }

// MarshalText writes the name; the zero value is an error.
func (e Every) MarshalText() ([]byte, error) { return everyNames.marshal(uint8(e)) }

// UnmarshalText accepts exactly the names of [Every.String].
func (e *Every) UnmarshalText(text []byte) error { return unmarshalName(e, text, everyNames) }

// A PlanRef names the plan that tasks were imported from.
type PlanRef struct {
	Path string    `yaml:"path"`
	Blob ObjectID  `yaml:"blob"`
	At   time.Time `yaml:"at"` // of the import; zero in the move
}

// FindWorkflow is the workflow of a goal; nil if nothing is bounded.
func FindWorkflow(b *Board, goal GoalID) *Workflow {
	if goal == "" {
		return nil
	}
	w, ok := b.Load(Key{Workflows, string(goal)}).(*Workflow)
	if !ok || w.Goal != goal {
		return nil
	}
	return w
}

// Place is where a phase stands in the workflow, -1 if it has none of that name.
func (w *Workflow) Place(id PhaseID) int {
	return slices.IndexFunc(w.Phases, func(f WorkflowPhase) bool { return f.Name == id })
}

// Phase is the phase of that name; nil if there is none.
func (w *Workflow) Phase(id PhaseID) *WorkflowPhase {
	if i := w.Place(id); i >= 0 {
		return &w.Phases[i]
	}
	return nil
}

// Type is the type of artifacts of that name; nil if there is none.
func (w *Workflow) Type(name string) *ArtifactType {
	return lists.Find(w.Types, func(t ArtifactType) bool { return t.Name == name })
}

// Names are the phases for people.
func (w *Workflow) Names() string {
	return strings.Join(lists.Of(w.Phases, func(f WorkflowPhase) string { return string(f.Name) }), ", ")
}

// Expand is a text of a workflow as it is for a goal.
func Expand(text string, goal GoalID) string { return strings.ReplaceAll(text, "{goal}", string(goal)) }

// Patterns are the globs of the artifacts of its phases.
func (w *Workflow) Patterns() (globs []string) {
	for _, f := range w.Phases {
		globs = append(globs, lists.Of(f.Artifacts, func(a PhaseArtifact) string { return Expand(a.Path, w.Goal) })...)
	}
	return globs
}

// Admits reports whether tasks of the role and kind belong into the phase.
func (f *WorkflowPhase) Admits(t *Task) bool {
	return (len(f.Roles) == 0 || slices.Contains(f.Roles, t.Doer())) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, t.Kind))
}

// WorkflowRoles are the roles of agents that the workflow of a goal asks for, those of all
// goals in progress for "": they work in its phases, do tasks of them, or judge these.
func WorkflowRoles(b *Board, goal GoalID) (list []Role) {
	for _, w := range OpenWorkflows(b) {
		if goal != "" && w.Goal != goal {
			continue
		}
		for _, f := range w.Phases {
			list = append(list, f.Roles...)
			for _, t := range f.Tasks {
				list = append(append(list, t.Role), t.ReviewBy...)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(lists.Where(list, func(r Role) bool { return b.Role(r) != nil }))
}

// RushCommand is the command by which a person has agents of some roles work.
func RushCommand(b *Board, needed ...Role) string {
	usual := append(FirstRoles(), WorkflowRoles(b, "")...)
	more := lists.Where(needed, func(r Role) bool { return !slices.Contains(usual, r) })
	if len(more) == 0 {
		return "git liza rush"
	}
	return "git liza rush --agents " + strings.Join(lists.Of(more, func(r Role) string { return string(r) + "=1" }), ",")
}

// OpenWorkflows are the workflows of the goals in progress.
func OpenWorkflows(b *Board) (list []*Workflow) {
	for _, id := range b.IDs(Workflows) {
		if g := b.Goal(GoalID(id)); g == nil || g.Status != InProgress {
			continue // there may be many, each as long as a workflow can be
		}
		if w := FindWorkflow(b, GoalID(id)); w != nil {
			list = append(list, w)
		}
	}
	return list
}

// ExitGates are the gates that must pass before a goal leaves its phase.
func ExitGates(b *Board, goal GoalID) []Gate {
	w, g := FindWorkflow(b, goal), b.Goal(goal)
	if w == nil || g == nil || w.Phase(g.Phase) == nil {
		return nil
	}
	return GatesOfExit(b, w.Phase(g.Phase))
}

// GatesOfExit are those at a phase that its exit needs.
func GatesOfExit(b *Board, f *WorkflowPhase) []Gate {
	return lists.Where(b.Settings().Config.GatesAt(AtPhase), func(g Gate) bool {
		return slices.Contains(f.Gates, g.Name) || len(f.Gates) == 0 && g.Required
	})
}

// PhaseName is the phase of a goal with its place, such as DESIGN (3 of 5); "" if it has
// none.
func PhaseName(b *Board, g *Goal) string {
	w := FindWorkflow(b, g.ID)
	if w == nil {
		return ""
	}
	var list []string
	for _, f := range w.Phases {
		if f.Name == g.Phase {
			list = append(list, "["+string(f.Name)+"]")
			continue
		}
		list = append(list, string(f.Name))
	}
	return strings.Join(list, " → ")
}
