package flow

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
)

// inputs is a list that a move, but no document, may hold in full.
type inputs []board.TaskInput

func (inputs) MaxLen() int { return board.MaxTasks }

// AddMove adds tasks, all or none. A plan that is imported also describes tasks anew, and
// schedules the goal.
type AddMove struct {
	Tasks inputs `yaml:"tasks"`
	Texts texts  `yaml:"texts"` // new ones that the tasks stand on

	Update   inputs          `yaml:"update"`   // tasks that are described anew
	Schedule *board.Schedule `yaml:"schedule"` // of the goal, nil leaves it
}

func (a *AddMove) subject() string {
	all := Described(a)
	if len(all) == 1 {
		return string(all[0].ID)
	}
	return strconv.Itoa(len(all)) + " tasks"
}

func (a *AddMove) ask(_ Move, b *board.Board) Query { return askTextsOf(b, Described(a)) }

func (a *AddMove) fill(p *play) { a.Texts = enteredTexts(p) }

// Described returns the tasks that a move enters, then those that it describes anew; none
// of a move that describes no tasks.
func Described(d Detail) []board.TaskInput {
	switch m := d.(type) {
	case *AddMove:
		return slices.Concat(m.Tasks, m.Update)
	case *ImportMove:
		return slices.Concat(m.Tasks, m.Update)
	case *GoalMove:
		return m.Tasks
	case *EditMove:
		return []board.TaskInput{m.Input}
	case *ConvertMove:
		return []board.TaskInput{m.Input}
	case *SupersedeMove:
		return m.Add
	}
	return nil
}

// specAnchor is the anchor of the heading that a spec reference names, "" if it
// names none.
func specAnchor(spec string) string {
	_, anchor := board.SplitRef(spec)
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
	if len(a.Tasks)+len(a.Update) > board.MaxTasks {
		return refuse(RuleLimit, "git liza help task add", "a move describes at most %d tasks, not %d", board.MaxTasks, len(a.Tasks)+len(a.Update))
	}
	if a.Schedule != nil {
		if r := checkSchedule(a.Schedule, p); r != nil {
			return r
		}
	}
	return cmp.Or(enterDescribed(p, a.Tasks, a.Update, nil), checkRecorded(p, a.Texts))
}

func (a *AddMove) apply(p *effect) {
	reopenReverted(p, a.Tasks...)
	for _, in := range a.Update {
		if t := p.board.Task(in.ID); t.Submission != nil {
			t = t.Clone()
			judgeAnew(p, t)
			p.keep(t)
		}
	}
	if a.Schedule != nil {
		editGoal(p, func(g *board.Goal) { g.Schedule = a.Schedule })
	}
}

// enterTasks checks new tasks and leaves them for the effect to write; tasks of one move may
// depend on each other. replaced is the task that they replace, nil if there is
// none. The refusal lists up to [MaxFaults] faults.
func (p *play) enterTasks(list []board.TaskInput, replaced *board.Task) *Refusal {
	return enterDescribed(p, list, nil, replaced)
}

// enterDescribed is enterTasks with tasks that are described anew.
func enterDescribed(p *play, list, update []board.TaskInput, replaced *board.Task) *Refusal {
	var found faults
	taken := make(map[board.Key]board.TaskID, len(list)+len(update))
	for i := range list {
		if found.full() {
			break
		}
		t, wrong := newTask(p, &list[i], replaced, taken)
		for _, r := range wrong {
			found.add(i, r)
		}
		if t != nil {
			taken[board.Key{Folder: board.Tasks, ID: string(t.ID)}.Fold()] = t.ID
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
			taken[board.Key{Folder: board.Tasks, ID: string(t.ID)}.Fold()] = t.ID
			p.repointed = append(p.repointed, t)
		}
	}
	all := slices.Concat(p.added, p.repointed)
	entered := board.WithTasks(p.board, all...)
	checkAcyclicAll(entered, slices.Concat(list, update), all, &found)
	p.board.Fail(entered.Err())
	if r := found.refusal(); r != nil {
		return r
	}
	p.repointed = append(p.repointed, levelling{entered, p.prior}.assign(all, replaced, &found)...)
	p.board.Fail(entered.Err())
	return found.refusal()
}

// updatedTask describes a task of the board anew, and returns all that is wrong with
// that. The task is nil if the board has none that can be described.
func updatedTask(p *play, in *board.TaskInput, taken map[board.Key]board.TaskID) (*board.Task, []*Refusal) {
	hint := "git liza help task edit"
	old := p.board.Task(in.ID)
	switch {
	case old == nil:
		return nil, []*Refusal{refuse(RuleNotFound, "git liza list --all", "there is no task %s to describe anew", board.Clip(string(in.ID)))}
	case taken[board.Key{Folder: board.Tasks, ID: string(in.ID)}.Fold()] != "":
		return nil, []*Refusal{refuse(RuleForm, hint, "the move describes %s twice", in.ID)}
	case old.Goal != p.goalID():
		return nil, []*Refusal{refuse(RuleGoal, "git liza goal list", "%s belongs to the goal %s, and the move to %s", in.ID, old.Goal, p.goalID())}
	case !board.Described.Has(old.Status):
		return nil, []*Refusal{refuse(RuleState, "git liza show "+string(in.ID), "%s is %s: only a task that nobody works on is described anew", in.ID, old.Status)}
	case in.Reopens != "":
		return nil, []*Refusal{refuse(RuleForm, hint, "only a new task does the work of a reverted one again")}
	}
	t := old.Clone()
	t.SetInput(in)
	if in.Level == 0 {
		t.Level = old.Level
	}
	t.Phase = cmp.Or(in.Phase, old.Phase)
	wrong := []*Refusal{checkNewPhase(p, t, old.Phase, hint), p.checkBudget(old.Budget, t, hint), p.checkWithout(old, t, hint)}
	wrong = slices.DeleteFunc(wrong, func(r *Refusal) bool { return r == nil })
	return t, append(wrong, p.describe(t, hint)...)
}

// checkAcyclicAll follows the dependencies of all new tasks in one pass.
func checkAcyclicAll(b *board.Board, list []board.TaskInput, added []*board.Task, found *faults) {
	const visiting, done = 1, 2
	state := make(map[board.TaskID]int, len(added))
	place := make(map[board.TaskID]int, len(list))
	for i := range list {
		place[list[i].ID] = i
	}
	wrong := func(t *board.Task, r *Refusal) {
		i, ok := place[t.ID]
		if !ok {
			i = -1 // a task that existed before
		}
		found.add(i, r)
	}
	var path []board.TaskID
	var visit func(*board.Task)
	visit = func(t *board.Task) {
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
				wrong(t, refuse(RuleCycle, "git liza show "+string(id), "a cycle of needs: %s", board.Cycle(path[slices.Index(path, id):])))
			case state[id] == 0 && d.Status != board.Merged:
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

// newTask makes a task of its description, and returns all that is wrong with it.
// The task is nil if it cannot be put on the board. taken has the ids of the other
// tasks of the move, by folded key.
func newTask(p *play, in *board.TaskInput, replaced *board.Task, taken map[board.Key]board.TaskID) (*board.Task, []*Refusal) {
	hint := "git liza help task add"
	if err := new(board.TaskID).UnmarshalText([]byte(in.ID)); err != nil {
		return nil, []*Refusal{refuse(RuleForm, hint, "%v", err)}
	}
	for _, folder := range []board.Folder{board.Tasks, board.Archive} {
		key := board.Key{Folder: folder, ID: string(in.ID)}
		other, exists := taken[key.Fold()]
		if t, ok := p.board.Load(key).(*board.Task); ok {
			other, exists = t.ID, true
		}
		if exists {
			return nil, []*Refusal{refuse(RuleExists, "git liza show "+string(other), "there is a task %s already", other)}
		}
	}
	if p.board.Role(board.AgentID(in.ID).Role()) != nil {
		return nil, []*Refusal{refuse(RuleForm, hint, "%s would be an agent's id: choose another", in.ID)}
	}
	goal := p.goalID()
	t := &board.Task{ID: in.ID, Goal: goal, Sprint: sprintForTasks(p.board, goal), Created: p.move.At, CreatedBy: p.move.By, Changed: p.move.At, Status: board.Unclaimed}
	if in.Draft {
		t.Status = board.Draft
	}
	if replaced != nil {
		t.Supersedes = []board.TaskID{replaced.ID}
		t.Generation = replaced.Generation + 1
	}
	t.SetInput(in)
	was := board.PhaseID("")
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
	if r := p.checkWithout(&board.Task{}, t, hint); r != nil {
		wrong = append(wrong, r)
	}
	wrong = append(wrong, p.describe(t, hint)...)
	return t, wrong
}

// describe returns all that keeps a stranger from doing the task by its
// description.
func (p *play) describe(t *board.Task, hint string) []*Refusal {
	wrong := append(checkFields(t, hint), p.describeRoles(t, hint)...)
	wrong = append(wrong, describeReverts(p.board, t)...)
	if missing := t.MissingTexts(); t.Status != board.Draft && len(missing) > 0 {
		if p.prior.Task(t.ID) != nil { // a new task cannot be edited yet
			hint = board.Completing(t)
		}
		wrong = append(wrong, refuseIncomplete(t, missing, hint))
	}
	if t.Status != board.Draft && p.facts != nil {
		wrong = append(wrong, describeTexts(p, t, hint)...)
	}
	return wrong
}
