package flow

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
	t.setInput(&in)
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

// inputs is a list that a move, but no document, may hold in full.
type inputs []TaskInput

func (inputs) MaxLen() int { return MaxTasks }

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

// AddMove adds tasks, all or none. A plan that is imported also describes tasks anew, and
// schedules the goal.
type AddMove struct {
	Tasks inputs `yaml:"tasks"`
	Texts texts  `yaml:"texts"` // new ones that the tasks stand on

	Update   inputs    `yaml:"update"`   // tasks that are described anew
	Schedule *Schedule `yaml:"schedule"` // of the goal, nil leaves it
}

func (a *AddMove) subject() string {
	all := Described(a)
	if len(all) == 1 {
		return string(all[0].ID)
	}
	return strconv.Itoa(len(all)) + " tasks"
}

func (a *AddMove) ask(_ Move, b *Board) Query { return askTextsOf(b, Described(a)) }

func (a *AddMove) fill(p *play) { a.Texts = enteredTexts(p) }

// Described returns the tasks that a move enters, then those that it describes anew; none
// of a move that describes no tasks.
func Described(d Detail) []TaskInput {
	switch m := d.(type) {
	case *AddMove:
		return slices.Concat(m.Tasks, m.Update)
	case *ImportMove:
		return slices.Concat(m.Tasks, m.Update)
	case *GoalMove:
		return m.Tasks
	case *EditMove:
		return []TaskInput{m.Input}
	case *ConvertMove:
		return []TaskInput{m.Input}
	case *SupersedeMove:
		return m.Add
	}
	return nil
}

// specPath is the file that a spec reference names, without its anchor.
func specPath(spec string) string {
	path, _ := splitRef(spec)
	return path
}

// specAnchor is the anchor of the heading that a spec reference names, "" if it
// names none.
func specAnchor(spec string) string {
	_, anchor := splitRef(spec)
	return anchor
}

func (a *AddMove) check(p *play) *Refusal {
	if len(a.Tasks)+len(a.Update) == 0 {
		return refuse(RuleForm, "git liza help task add", "there is no task to add")
	}
	return a.enter(p)
}

// enter refuses tasks that cannot be entered, or a schedule that a goal cannot have.
func (a *AddMove) enter(p *play) *Refusal {
	if len(a.Tasks)+len(a.Update) > MaxTasks {
		return refuse(RuleLimit, "git liza help task add", "a move describes at most %d tasks, not %d", MaxTasks, len(a.Tasks)+len(a.Update))
	}
	if a.Schedule != nil {
		if r := a.Schedule.check(p); r != nil {
			return r
		}
	}
	return cmp.Or(enterDescribed(p, a.Tasks, a.Update, nil), checkRecorded(p, a.Texts))
}

func (a *AddMove) apply(p *effect) {
	reopenReverted(p, a.Tasks...)
	for _, in := range a.Update {
		if t := p.board.Task(in.ID); t.Submission != nil {
			t = t.clone()
			judgeAnew(p, t)
			p.keep(t)
		}
	}
	if a.Schedule != nil {
		editGoal(p, func(g *Goal) { g.Schedule = a.Schedule })
	}
}

// enterTasks checks new tasks and leaves them for the effect to write; tasks of one move may
// depend on each other. replaced is the task that they replace, nil if there is
// none. The refusal lists up to [MaxFaults] faults.
func (p *play) enterTasks(list []TaskInput, replaced *Task) *Refusal {
	return enterDescribed(p, list, nil, replaced)
}

// enterDescribed is enterTasks with tasks that are described anew.
func enterDescribed(p *play, list, update []TaskInput, replaced *Task) *Refusal {
	var found faults
	taken := make(map[Key]TaskID, len(list)+len(update))
	for i := range list {
		if found.full() {
			break
		}
		t, wrong := newTask(p, &list[i], replaced, taken)
		for _, r := range wrong {
			found.add(i, r)
		}
		if t != nil {
			taken[Key{Tasks, string(t.ID)}.fold()] = t.ID
			p.added = append(p.added, t)
		}
	}
	for i := range update {
		if found.full() {
			break
		}
		t, wrong := updatedTask(p, &update[i], taken)
		for _, r := range wrong {
			found.add(len(list)+i, r)
		}
		if t != nil {
			taken[Key{Tasks, string(t.ID)}.fold()] = t.ID
			p.repointed = append(p.repointed, t)
		}
	}
	all := slices.Concat(p.added, p.repointed)
	entered := withTasks(p.board, all...)
	checkAcyclicAll(entered, slices.Concat(list, update), all, &found)
	p.board.fail(entered.Err())
	if r := found.refusal(); r != nil {
		return r
	}
	p.repointed = append(p.repointed, levelling{entered, p.prior}.assign(all, replaced, &found)...)
	p.board.fail(entered.Err())
	return found.refusal()
}

// updatedTask describes a task of the board anew, and returns all that is wrong with
// that. The task is nil if the board has none that can be described.
func updatedTask(p *play, in *TaskInput, taken map[Key]TaskID) (*Task, []*Refusal) {
	hint := "git liza help task edit"
	old := p.board.Task(in.ID)
	switch {
	case old == nil:
		return nil, []*Refusal{refuse(RuleNotFound, "git liza list --all", "there is no task %s to describe anew", clip(string(in.ID)))}
	case taken[Key{Tasks, string(in.ID)}.fold()] != "":
		return nil, []*Refusal{refuse(RuleForm, hint, "the move describes %s twice", in.ID)}
	case old.Goal != p.goalID():
		return nil, []*Refusal{refuse(RuleGoal, "git liza goal list", "%s belongs to the goal %s, and the move to %s", in.ID, old.Goal, p.goalID())}
	case !described.has(old.Status):
		return nil, []*Refusal{refuse(RuleState, "git liza show "+string(in.ID), "%s is %s: only a task that nobody works on is described anew", in.ID, old.Status)}
	case in.Reopens != "":
		return nil, []*Refusal{refuse(RuleForm, hint, "only a new task does the work of a reverted one again")}
	}
	t := old.clone()
	t.setInput(in)
	if in.Level == 0 {
		t.Level = old.Level
	}
	t.Phase = cmp.Or(in.Phase, old.Phase)
	wrong := []*Refusal{checkNewPhase(p, t, old.Phase, hint), p.checkBudget(old.Budget, t, hint), p.checkWithout(old, t, hint)}
	wrong = slices.DeleteFunc(wrong, func(r *Refusal) bool { return r == nil })
	return t, append(wrong, p.describe(t, hint)...)
}

// checkAcyclicAll follows the dependencies of all new tasks in one pass.
func checkAcyclicAll(b *Board, list []TaskInput, added []*Task, found *faults) {
	const visiting, done = 1, 2
	state := make(map[TaskID]int, len(added))
	place := make(map[TaskID]int, len(list))
	for i := range list {
		place[list[i].ID] = i
	}
	wrong := func(t *Task, r *Refusal) {
		i, ok := place[t.ID]
		if !ok {
			i = -1 // a task that existed before
		}
		found.add(i, r)
	}
	var path []TaskID
	var visit func(*Task)
	visit = func(t *Task) {
		state[t.ID] = visiting
		path = append(path, t.ID)
		for _, id := range t.DependsOn {
			if found.full() {
				return
			}
			d := b.Task(id)
			_, listed := place[id]
			switch {
			case d == nil && listed: // its own fault is reported
			case d == nil:
				wrong(t, refuse(RuleNotFound, "git liza list --all", "%s depends on %s, which does not exist", t.ID, id))
			case state[id] == visiting:
				wrong(t, refuse(RuleCycle, "git liza show "+string(id), "a cycle of needs: %s", Cycle(path[slices.Index(path, id):])))
			case state[id] == 0 && d.Status != Merged:
				visit(d)
			}
		}
		state[t.ID] = done
		path = path[:len(path)-1]
	}
	for _, t := range added {
		if state[t.ID] == 0 && !found.full() {
			visit(t)
		}
	}
}

// Cycle shows tasks of which each needs the next, and the last the first.
func Cycle(ids []TaskID) string {
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(string(id) + " → ")
	}
	return text.String() + string(ids[0])
}

// newTask makes a task of its description, and returns all that is wrong with it.
// The task is nil if it cannot be put on the board. taken has the ids of the other
// tasks of the move, by folded key.
func newTask(p *play, in *TaskInput, replaced *Task, taken map[Key]TaskID) (*Task, []*Refusal) {
	hint := "git liza help task add"
	if err := new(TaskID).UnmarshalText([]byte(in.ID)); err != nil {
		return nil, []*Refusal{refuse(RuleForm, hint, "%v", err)}
	}
	for _, folder := range []Folder{Tasks, Archive} {
		key := Key{folder, string(in.ID)}
		other, exists := taken[key.fold()]
		if t, ok := p.board.Load(key).(*Task); ok {
			other, exists = t.ID, true
		}
		if exists {
			return nil, []*Refusal{refuse(RuleExists, "git liza show "+string(other), "there is a task %s already", other)}
		}
	}
	if p.board.Role(AgentID(in.ID).Role()) != nil {
		return nil, []*Refusal{refuse(RuleForm, hint, "%s would be an agent's id: choose another", in.ID)}
	}
	goal := p.goalID()
	t := &Task{ID: in.ID, Goal: goal, Sprint: sprintForTasks(p.board, goal), Created: p.move.At, CreatedBy: p.move.By, Changed: p.move.At, Status: Unclaimed}
	if in.Draft {
		t.Status = Draft
	}
	if replaced != nil {
		t.Supersedes = []TaskID{replaced.ID}
		t.Generation = replaced.Generation + 1
	}
	t.setInput(in)
	was := PhaseID("")
	if replaced != nil && replaced.Goal == goal {
		was = replaced.Phase
	}
	t.Phase = phaseOfNew(p, in, was)
	var wrong []*Refusal
	if r := checkNewPhase(p, t, was, hint); r != nil {
		wrong = append(wrong, r)
	}
	if r := checkSucceeds(p, t, in); r != nil {
		wrong = append(wrong, r)
	}
	if r := p.checkBudget(nil, t, hint); r != nil {
		wrong = append(wrong, r)
	}
	if r := p.checkWithout(&Task{}, t, hint); r != nil {
		wrong = append(wrong, r)
	}
	wrong = append(wrong, p.describe(t, hint)...)
	return t, wrong
}

func (t *Task) setInput(in *TaskInput) {
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

// describe returns all that keeps a stranger from doing the task by its
// description.
func (p *play) describe(t *Task, hint string) []*Refusal {
	wrong := append(t.checkFields(hint), p.describeRoles(t, hint)...)
	wrong = append(wrong, describeReverts(p.board, t)...)
	if missing := t.missing(); t.Status != Draft && len(missing) > 0 {
		if p.prior.Task(t.ID) != nil { // a new task cannot be edited yet
			hint = completing(t)
		}
		wrong = append(wrong, t.incomplete(missing, hint))
	}
	if t.Status != Draft && p.facts != nil {
		wrong = append(wrong, describeTexts(p, t, hint)...)
	}
	return wrong
}
