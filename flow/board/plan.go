package board

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// A TaskInput is the description of a task by a planner or human; `task add
// --from` reads a list of them.
type TaskInput struct {
	ID        TaskID     `yaml:"id"`
	Title     string     `yaml:"title"`
	DoneWhen  string     `yaml:"done_when"`
	Spec      string     `yaml:"spec"`
	Scope     string     `yaml:"scope"`
	Priority  int        `yaml:"priority"` // 1 to 5; 0 means 3
	DependsOn []TaskID   `yaml:"depends_on"`
	Owns      []string   `yaml:"owns"`
	Verify    string     `yaml:"verify"`
	Kind      Kind       `yaml:"kind"`      // zero means code
	Role      Role       `yaml:"role"`      // that does it; none means coder
	BasedOn   []string   `yaml:"based_on"`  // what the work stands on beside its spec
	ReviewBy  []Role     `yaml:"review_by"` // roles that judge it beside those that the board asks for
	Without   []Role     `yaml:"without"`   // roles that a person leaves out
	Meant     []ObjectID `yaml:"meant"`     // blobs and commits in which a person means what looks like a key or a conflict
	Draft     bool       `yaml:"draft"`
	Stretch   bool       `yaml:"stretch"`
	Limits    *Limits    `yaml:"limits"`
	Budget    *Budget    `yaml:"budget"`  // only a human sets one
	Reverts   []TaskID   `yaml:"reverts"` // merged tasks that the work takes back
	Reopens   TaskID     `yaml:"reopens"` // a reverted task whose work it does again

	Files           *Files   `yaml:"files"`    // where Owns is empty it owns what it creates and modifies
	Estimate        Duration `yaml:"estimate"` // of the work of one agent
	Level           int      `yaml:"level"`    // 0: one more than the deepest dependency, or that of what it replaces or takes back
	Acceptance      []string `yaml:"acceptance"`
	Steps           []Step   `yaml:"steps"`
	Context         LongText `yaml:"context"` // or a path#anchor
	Consumers       []TaskID `yaml:"consumers"`
	IntegrationTest string   `yaml:"integration_test"`
	VerifyTimeout   Duration `yaml:"verify_timeout"`
	Labels          []string `yaml:"labels"`

	Phase  PhaseID  `yaml:"phase"` // of the goal's workflow, or any; "" is the present one, or that of what it replaces
	Denies []string `yaml:"denies"`
}

// Input is the description of the task, for an edit.
func (t *Task) Input() TaskInput {
	in := TaskInput{ID: t.ID, Title: t.Title, DoneWhen: t.DoneWhen, Spec: t.Spec, Scope: t.Scope, Priority: t.Priority,
		DependsOn: t.DependsOn, Owns: t.Owns, Verify: t.Verify, Kind: t.Kind, Role: t.Role, BasedOn: t.BasedOn,
		ReviewBy: t.ReviewBy, Without: t.Without, Meant: t.Meant, Draft: t.Status == Draft, Stretch: t.Stretch, Limits: t.Limits, Budget: t.Budget, Reverts: t.Reverts,
		Files: t.Files, Estimate: t.Estimate, Level: t.Level, Acceptance: t.Acceptance, Steps: t.Steps, Context: t.Context,
		Consumers: t.Consumers, IntegrationTest: t.IntegrationTest, VerifyTimeout: t.VerifyTimeout, Labels: t.Labels, Phase: t.Phase, Denies: t.Denies}
	if slices.Equal(in.Owns, in.Files.owned()) {
		in.Owns = nil // it follows from the files
	}
	return in
}

// Normal is the description as the board keeps it: with what follows from the rest filled
// in or left out.
func (in TaskInput) Normal() TaskInput {
	t := &Task{ID: in.ID, Status: Unclaimed}
	if in.Draft {
		t.Status = Draft
	}
	t.SetInput(&in)
	normal := t.Input()
	normal.Reopens = in.Reopens
	return normal
}

// Differing are the keys in which two descriptions differ. None, an empty value and a
// pointer to one are the same.
func Differing(one, other TaskInput) (keys []string) {
	x, y := reflect.ValueOf(one), reflect.ValueOf(other)
	for i := range x.NumField() {
		a, b := x.Field(i), y.Field(i)
		if !(isNone(a) && isNone(b)) && !reflect.DeepEqual(a.Interface(), b.Interface()) {
			keys = append(keys, x.Type().Field(i).Tag.Get("yaml"))
		}
	}
	return keys
}

func isNone(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || v.Elem().IsZero()
	case reflect.Slice:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

// Number gives the tasks without an id the next automatic ids of the board. It
// skips ids that the board or the list has.
func (b *Board) Number(list []TaskInput) {
	taken := lists.Set(list, func(t TaskInput) string { return strings.ToLower(string(t.ID)) })
	n := b.Settings().Next.Task
	for i := range list {
		for list[i].ID == "" {
			id := TaskID("task-" + strconv.Itoa(n))
			n++
			if !taken[string(id)] && b.Load(Key{Tasks, string(id)}) == nil && b.Load(Key{Archive, string(id)}) == nil {
				list[i].ID = id
			}
		}
	}
}

// SpecPath is the file that a spec reference names, without its anchor.
func SpecPath(spec string) string {
	path, _ := SplitRef(spec)
	return path
}

// Cycle shows tasks of which each needs the next, and the last the first.
func Cycle(ids []TaskID) string {
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(string(id) + " → ")
	}
	return text.String() + string(ids[0])
}

// SetInput gives the task the description of an input.
func (t *Task) SetInput(in *TaskInput) {
	t.Title, t.DoneWhen, t.Spec, t.Scope = in.Title, in.DoneWhen, in.Spec, in.Scope
	t.Priority, t.DependsOn, t.Owns, t.Verify = in.Priority, in.DependsOn, in.Owns, in.Verify
	t.Kind, t.Stretch, t.Limits, t.Budget = in.Kind, in.Stretch, in.Limits, in.Budget
	t.Role, t.BasedOn, t.ReviewBy, t.Without, t.Meant = in.Role, in.BasedOn, in.ReviewBy, in.Without, in.Meant
	t.Reverts = in.Reverts
	t.Files, t.Estimate, t.Level, t.Acceptance, t.Steps = in.Files, in.Estimate, in.Level, in.Acceptance, in.Steps
	t.Context, t.Consumers, t.IntegrationTest, t.VerifyTimeout, t.Labels = in.Context, in.Consumers, in.IntegrationTest, in.VerifyTimeout, in.Labels
	t.Phase, t.Denies = in.Phase, in.Denies
	if len(t.Owns) == 0 {
		t.Owns = t.Files.owned()
	}
	t.Priority, t.Kind = cmp.Or(t.Priority, 3), cmp.Or(t.Kind, Code)
}

// IsSameWork reports whether two descriptions differ in nothing but what a task is called, when
// its turn is and what may be spent on it.
func (in TaskInput) IsSameWork(as TaskInput) bool {
	in, as = in.Normal(), as.Normal()
	in.Role, as.Role = cmp.Or(in.Role, Coder), cmp.Or(as.Role, Coder)
	beside := []string{"id", "title", "reopens", "phase", "level", "labels", "priority", "stretch", "draft", "estimate", "limits", "budget"}
	return !slices.ContainsFunc(Differing(in, as), func(key string) bool { return !slices.Contains(beside, key) })
}
