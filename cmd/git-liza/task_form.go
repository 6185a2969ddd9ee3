package main

import (
	"bytes"
	"cmp"
	"reflect"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A taskForm lets the user write tasks in their editor.
type taskForm struct {
	*invocation
	clone *work.Clone
}

// formNotes are the comments below the form.
const formNotes = `A list of tasks: one, or several, each beginning with "- ".
  title      what it is, in one line
  done_when  how a reviewer tells that it is done
  spec       where it is specified, PATH or PATH#ANCHOR, on integration
  scope      what belongs to it and what does not
Also: id, priority: 1 to 5, kind: code, docs, config or spec,
depends_on: [task-1], owns: [src/**], verify: COMMAND, draft: true,
acceptance: [TEXT], files: {create: [], modify: [], read: []}, estimate: 45m,
level: 2, labels: [WORD], context: TEXT, steps: [{step: 1, action: TEXT}].
Without a title no task is added.
`

// add adds the tasks that the user makes of the form. A form that is refused is
// kept.
func (f taskForm) add(in board.TaskInput) error {
	b, _, err := f.clone.Store.Board(f.ctx)
	if err != nil {
		return err
	}
	if refusal := flow.Opens(b, board.ActAdd, "", f.clone.Caller, b.At()); refusal != nil {
		return refusal
	}
	set := b.Settings()
	if goal := b.Goal(cmp.Or(f.clone.Named, f.clone.Usual, set.Goal)); goal != nil && in.Spec == "" {
		in.Spec = goal.Spec
	}
	text, err := formText(in, set.Format)
	if err != nil {
		return err
	}
	return draft{
		command: "task add", ending: ".yaml", text: text, notes: formNotes, again: "git liza task add --from",
		otherwise: "--from FILE takes the tasks from a file, - from standard input",
	}.edit(f.invocation, f.clone.Repo, func(text []byte) error {
		list, lines, err := parseTasks("form", text)
		if err != nil {
			return err
		}
		return f.addTasks(f.clone, list, "form", lines)
	})
}

// change describes tasks anew as the user makes it of a form with all that is said of them.
// One move changes all of them. A form that is refused is kept.
func (f taskForm) change(ids []board.TaskID) error {
	b, _, err := f.clone.Store.Board(f.ctx)
	if err != nil {
		return err
	}
	var form []byte
	for _, id := range ids {
		t := b.Task(id)
		if t == nil {
			return cmp.Or(b.Err(), error(&flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list", Reason: "there is no task " + string(id)}))
		}
		if refusal := flow.Opens(b, board.ActEdit, id, f.clone.Caller, b.At()); refusal != nil {
			return refusal
		}
		text, err := formText(t.Input(), b.Settings().Format)
		if err != nil {
			return err
		}
		form = append(form, text...)
	}
	goal := b.Task(ids[0]).Goal
	return draft{
		command: "task edit", ending: ".yaml", text: form, notes: formNotes, again: "git liza plan import --update --goal " + string(goal),
		otherwise: "flags of task edit say what changes",
	}.edit(f.invocation, f.clone.Repo, func(text []byte) error {
		return f.enter(goal, text)
	})
}

// enter describes tasks of a goal as a form has them.
func (f taskForm) enter(goal board.GoalID, text []byte) error {
	i := &work.PlanImport{Clone: f.clone, Path: "form", File: planfile.Read("form", text, gitstore.MaxMove), Goal: goal, Update: true}
	for n := range i.File.Plan.Tasks {
		i.File.Plan.Tasks[n].TaskInput = rooted(f.clone, i.File.Plan.Tasks[n].TaskInput)
	}
	r := planReader{f.invocation, i.Path}
	warnings, err := i.Check(f.ctx)
	if err != nil {
		return r.refuse(err, i.File, "git liza help check")
	}
	if err := i.Trust.AllowTasks(f.ctx, i.Tasks()); err != nil {
		return err
	}
	made, err := i.Enter(f.ctx)
	if err != nil {
		return inFiles(i.Path, r.places(i), r.refuse(err, i.File, ""))
	}
	ids := append([]board.TaskID{}, lists.Of(i.Moved, func(n int) board.TaskID { return i.File.Plan.Tasks[n].ID })...)
	said := view.JoinIDs(ids) + " edited"
	if len(ids) == 0 {
		said = "nothing was changed"
	}
	return f.result(made, map[string]any{"tasks": ids, "warnings": append([]planfile.Finding{}, warnings...)}, "%s", r.lines(i.File, nil, warnings)+said)
}

// formText returns the form for one task, in a format: what every
// task needs is there to be filled in, and the rest if it was said.
func formText(in board.TaskInput, format int) ([]byte, error) {
	text, err := document.EncodeAt(format, &[]formRow{{in.ID, in.Title, in.DoneWhen, in.Spec, in.Scope}})
	if err != nil {
		return nil, err
	}
	in.ID, in.Title, in.DoneWhen, in.Spec, in.Scope = "", "", "", "", ""
	if reflect.ValueOf(in).IsZero() {
		return text, nil
	}
	rest, err := document.EncodeAt(format, &in)
	for line := range bytes.Lines(rest) {
		text = append(append(text, "  "...), line...)
	}
	return text, err
}

type formRow struct {
	ID       board.TaskID `yaml:"id"`
	Title    string       `yaml:"title,keep"`
	DoneWhen string       `yaml:"done_when,keep"`
	Spec     string       `yaml:"spec,keep"`
	Scope    string       `yaml:"scope,keep"`
}
