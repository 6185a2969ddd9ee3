package flow

import (
	"reflect"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// Describe returns all for which any board refuses the description of a new task,
// whatever else is on it and in its files. The id is not looked at.
func Describe(in TaskInput) []*Refusal {
	t := &Task{ID: in.ID}
	t.setInput(&in)
	const hint = "git liza help task add"
	wrong := t.checkFields(hint)
	if r := boundGlobs(string(t.ID), t.Owns, hint); r != nil {
		wrong = append(wrong, r)
	}
	if missing := t.missing(); !in.Draft && len(missing) > 0 {
		wrong = append(wrong, t.incomplete(missing, hint))
	}
	return wrong
}

// Describe returns all for which this board refuses the description of a new task by an
// actor, apart from its needs and from files that are not there. Of a task that the board
// has, and of one whose id is malformed, it returns what any board refuses.
func (b *Board) Describe(in TaskInput, by Actor) []*Refusal {
	if !validID(string(in.ID)) || b.Task(in.ID) != nil {
		return Describe(in)
	}
	p := &play{board: b.Fork(b.At()), prior: b, move: &Move{Act: ActAdd, By: by, At: b.At()}}
	defer func() { b.fail(p.board.Err()) }() // what the copy could not read
	_, wrong := newTask(p, &in, nil, nil)
	if r := boundGlobs(string(in.ID), in.Owns, "git liza help task add"); r != nil {
		wrong = append(wrong, r)
	}
	return wrong
}

// checkFields returns what is wrong with single fields of a description.
func (t *Task) checkFields(hint string) (wrong []*Refusal) {
	if t.Priority < 1 || t.Priority > 5 {
		wrong = append(wrong, refuse(RuleForm, hint, "priority %d of %s is not between 1 and 5", t.Priority, t.ID))
	}
	for _, g := range slices.Concat(t.Owns, t.Denies) {
		if r := checkGlob(g, hint); r != nil {
			wrong = append(wrong, r)
		}
	}
	if l := t.Limits; l != nil && min(l.Iterations, l.Cycles, l.MergeFails, l.NoVerdicts, l.FailedCoders, l.Failures) < 0 ||
		l != nil && max(l.FailedCoders, l.Failures) > MaxList {
		wrong = append(wrong, refuse(RuleForm, hint, "a limit of %s is negative, or one of failures is over %d", t.ID, MaxList))
	}
	for i, d := range t.DependsOn {
		if slices.Contains(t.DependsOn[:i], d) {
			wrong = append(wrong, refuse(RuleForm, hint, "%s names %s twice among its dependencies", t.ID, d))
			break
		}
	}
	return append(wrong, t.describePlan(hint)...)
}

// missing are the texts that the description of a task lacks; a draft needs none.
func (t *Task) missing() []string {
	needs := [][2]string{{"title", t.Title}, {"done_when", t.DoneWhen}, {"spec", t.Spec}, {"scope", t.Scope}}
	lacking := lists.Where(needs, func(need [2]string) bool { return need[1] == "" })
	return lists.Of(lacking, func(need [2]string) string { return need[0] })
}

func (t *Task) incomplete(missing []string, hint string) *Refusal {
	return refuse(RuleIncomplete, hint, "%s has no %s; a task that is not a draft needs title, done_when, spec and scope",
		t.ID, strings.Join(missing, ", "))
}

// Completion is the command by which a draft goes on: the edit that says all that it lacks,
// or, if it lacks nothing, the one that makes it claimable.
func Completion(b *Board, id TaskID) string {
	if t := b.Task(id); t != nil && len(t.missing()) > 0 {
		return completing(t)
	}
	return "git liza task finalize " + string(id)
}

// Unblocking is the command by which an actor lets a blocked task go on.
func Unblocking(b *Board, id TaskID, by Actor) string {
	t := b.Task(id)
	if t == nil || t.Block == nil {
		return "git liza show " + string(id)
	}
	open := OpenQuestionsOf(b, t)
	switch {
	case t.exhausted(b.Settings().Config.Limits.Over(t.Limits)):
		return "git liza task supersede " + string(id) + " --by FILE --reason R"
	case len(open) == 0 || t.Block.Limit == LimitMergeFails:
		return "git liza task unblock " + string(id)
	}
	return Answering(by, open[0])
}

// Answering is the command by which an actor answers a question: it asks a person for the
// answers to all those of the task, an agent gives the text of one.
func Answering(by Actor, q *Question) string {
	if by.IsHuman() {
		return "git liza answer " + string(q.Task)
	}
	return "git liza answer " + string(q.ID) + " TEXT"
}

// completing is the command that says all that the description of a task lacks.
func completing(t *Task) string {
	flags := strings.Join(t.missing(), " TEXT --") + " TEXT"
	return "git liza task edit " + string(t.ID) + " --" + strings.NewReplacer("_", "-", "spec TEXT", "spec PATH").Replace(flags)
}

// CleanTexts cleans every text below a pointer in place, as [Clean] does.
func CleanTexts(v any) {
	walk(reflect.ValueOf(v), func(v reflect.Value) *Refusal {
		if v.Kind() == reflect.String && v.CanSet() {
			v.SetString(Clean(v.String()))
		}
		return nil
	})
}

// TextsOf are the texts below a pointer, in its order: not ids, paths in lists and other
// values that have a type of their own.
func TextsOf(v any) (list []string) {
	walk(reflect.ValueOf(v), func(v reflect.Value) *Refusal {
		if v.Type() == reflect.TypeFor[string]() && v.Len() > 0 {
			list = append(list, v.String())
		}
		return nil
	})
	return list
}

// TextBytes is how many bytes all texts below a pointer have.
func TextBytes(v any) (n int) {
	walk(reflect.ValueOf(v), func(v reflect.Value) *Refusal {
		if v.Kind() == reflect.String {
			n += v.Len()
		}
		return nil
	})
	return n
}

// Bound returns the lists below a pointer that are too long for a document, and the
// texts of more than limit bytes.
func Bound(v any, limit int) (wrong []*Refusal) {
	const hint = "git liza help task add"
	walk(reflect.ValueOf(v), func(v reflect.Value) *Refusal {
		var r *Refusal
		switch v.Kind() {
		case reflect.Slice:
			r = checkLength(v, hint)
		case reflect.String:
			r = checkText(v.String(), longest(v, limit), hint)
		}
		if r != nil {
			wrong = append(wrong, r)
		}
		return nil
	})
	return wrong
}
