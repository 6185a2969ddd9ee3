package flow

import (
	"reflect"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// Describe returns all for which any board refuses the description of a new task,
// whatever else is on it and in its files. The id is not looked at.
func Describe(in board.TaskInput) []*Refusal {
	t := &board.Task{ID: in.ID}
	t.SetInput(&in)
	const hint = "git liza help task add"
	wrong := checkFields(t, hint)
	if r := boundGlobs(string(t.ID), t.Owns, hint); r != nil {
		wrong = append(wrong, r)
	}
	if missing := t.MissingTexts(); !in.Draft && len(missing) > 0 {
		wrong = append(wrong, refuseIncomplete(t, missing, hint))
	}
	return wrong
}

// DescribeOn returns all for which this board refuses the description of a new task by an
// actor, apart from its needs and from files that are not there. Of a task that the board
// has, and of one whose id is malformed, it returns what any board refuses.
func DescribeOn(b *board.Board, in board.TaskInput, by board.Actor) []*Refusal {
	if !board.ValidID(string(in.ID)) || b.Task(in.ID) != nil {
		return Describe(in)
	}
	p := &play{board: b.Fork(b.At()), prior: b, move: &Move{Act: board.ActAdd, By: by, At: b.At()}}
	defer func() { b.Fail(p.board.Err()) }() // what the copy could not read
	_, wrong := newTask(p, &in, nil, nil)
	if r := boundGlobs(string(in.ID), in.Owns, "git liza help task add"); r != nil {
		wrong = append(wrong, r)
	}
	return wrong
}

// checkFields returns what is wrong with single fields of a description.
func checkFields(t *board.Task, hint string) (wrong []*Refusal) {
	if t.Priority < 1 || t.Priority > 5 {
		wrong = append(wrong, refuse(RuleForm, hint, "priority %d of %s is not between 1 and 5", t.Priority, t.ID))
	}
	for _, g := range slices.Concat(t.Owns, t.Denies) {
		if r := checkGlob(g, hint); r != nil {
			wrong = append(wrong, r)
		}
	}
	if l := t.Limits; l != nil && min(l.Iterations, l.Cycles, l.MergeFails, l.NoVerdicts, l.FailedCoders, l.Failures) < 0 ||
		l != nil && max(l.FailedCoders, l.Failures) > board.MaxList {
		wrong = append(wrong, refuse(RuleForm, hint, "a limit of %s is negative, or one of failures is over %d", t.ID, board.MaxList))
	}
	for i, d := range t.DependsOn {
		if slices.Contains(t.DependsOn[:i], d) {
			wrong = append(wrong, refuse(RuleForm, hint, "%s names %s twice among its dependencies", t.ID, d))
			break
		}
	}
	return append(wrong, describePlan(t, hint)...)
}

func refuseIncomplete(t *board.Task, missing []string, hint string) *Refusal {
	return refuse(RuleIncomplete, hint, "%s has no %s; a task that is not a draft needs title, done_when, spec and scope",
		t.ID, strings.Join(missing, ", "))
}

// CleanTexts cleans every text below a pointer in place, as [board.Clean] does.
func CleanTexts(v any) {
	walk(reflect.ValueOf(v), func(v reflect.Value) *Refusal {
		if v.Kind() == reflect.String && v.CanSet() {
			v.SetString(board.Clean(v.String()))
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
