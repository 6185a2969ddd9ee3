package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

type taskCommands struct {
	Add      taskAddCommand      `cmd:"" help:"Add a task, or a list of tasks in one move."`
	Edit     taskEditCommand     `cmd:"" help:"Change what was said of a task, or of several in your editor."`
	Finalize taskFinalizeCommand `cmd:"" help:"Turn drafts into claimable tasks."`

	Unblock   unblockCommand   `cmd:"" help:"Send a blocked task back to work."`
	Supersede supersedeCommand `cmd:"" help:"Replace a task whose framing was wrong."`
	Abandon   abandonCommand   `cmd:"" help:"Give a task up."`
}

type taskAddCommand struct {
	What  idOrTitle `arg:"" optional:"" name:"id" help:"The id, default the next task-N. With a blank in it, it is the title instead: of a draft, unless done-when, spec and scope are said too."`
	From  string    `placeholder:"FILE" help:"A YAML list of tasks with these keys, - for standard input; one atomic move. Problems of all tasks are reported together."`
	Edit  bool      `short:"e" help:"Write the task, or several, in your editor. The flags fill in the form."`
	Draft bool      `help:"Not claimable until it is finalized."`

	Record board.RecordID `placeholder:"ID" help:"The discovery that becomes the task, such as sprint-1/3; its first line is the title, unless another is said."`
	goalFlag
	taskFlags
	reopensFlag
}

// An idOrTitle is the id of a new task, or its title: ids have no blank.
type idOrTitle struct {
	id    board.TaskID
	title string
}

// UnmarshalText takes a text with a blank for a title.
func (w *idOrTitle) UnmarshalText(text []byte) error {
	if strings.Contains(strings.TrimSpace(string(text)), " ") {
		w.title = string(text)
		return nil
	}
	return w.id.UnmarshalText(text)
}

func (c *taskAddCommand) Run(inv *invocation) error {
	if c.What.title != "" && c.Title != nil {
		return usagef("git liza help task add", "%q is no id, and --title says the title", board.Excerpt(c.What.title, 80))
	}
	if c.From != "" && (c.What != idOrTitle{} || c.Title != nil || c.Edit || c.Reopens != "" || c.Record != "") {
		return usagef("git liza help task add", "--from takes everything from the file")
	}
	if c.Record != "" && c.Edit {
		return usagef("git liza help task add", "--record takes the task from flags, not from an editor")
	}
	clone, err := openGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	switch {
	case c.Record != "":
		return inv.convert(clone, c.Record, c.described())
	case c.Edit:
		return taskForm{inv, clone}.add(c.described())
	case c.From == "":
		return inv.addTasks(clone, []board.TaskInput{c.input()}, "", nil)
	}
	list, lines, err := inv.readTasks(c.From)
	if err != nil {
		return err
	}
	return inv.addTasks(clone, list, c.From, lines)
}

// described returns the task that the command line describes.
func (c *taskAddCommand) described() board.TaskInput {
	return c.over(board.TaskInput{ID: c.What.id, Title: c.What.title, Draft: c.Draft, Reopens: c.Reopens})
}

// input returns the task to add as it is described. With a title alone it is a draft.
func (c *taskAddCommand) input() board.TaskInput {
	in := c.described()
	if c.What.title != "" && (in.DoneWhen == "" || in.Spec == "" || in.Scope == "") {
		in.Draft = true
	}
	return in
}

// addTasks adds tasks, which begin on some lines of a file, or are from no file.
func (inv *invocation) addTasks(clone *work.Clone, list []board.TaskInput, path string, lines []int) error {
	for i, in := range list {
		list[i] = rooted(clone, in)
	}
	r, err := work.Tasks{Clone: clone}.Add(inv.ctx, list)
	if err != nil {
		return inFile(path, lines, err)
	}
	warnings := showWarnings(inv, r, path, lines)
	ids := make([]board.TaskID, 0, len(list))
	var text strings.Builder
	for _, in := range r.Move.Detail.(*flow.AddMove).Tasks {
		ids = append(ids, in.ID)
		fmt.Fprintln(&text, in.ID)
	}
	data := map[string]any{"tasks": ids, "warnings": warnings}
	if len(ids) == 1 {
		data["task"] = ids[0]
	}
	if len(ids) == 1 && r.Move.Detail.(*flow.AddMove).Tasks[0].Draft {
		inv.progress("%s is a draft, which nobody claims: git liza task edit %[1]s --done-when D --spec PATH --scope S && git liza task finalize %[1]s", ids[0])
	}
	return inv.result(r.Result, data, "%s", text.String())
}

// showWarnings shows what check warns of in tasks that were entered, and returns it. The
// tasks begin on some lines of a file, or are from no file.
func showWarnings(inv *invocation, e work.Entry, path string, lines []int) []planfile.Finding {
	list := []planfile.Finding{}
	for _, one := range e.Warnings {
		found := planfile.Finding{Code: one.Code, Task: one.Task, Reason: one.Reason}
		at := ""
		if n := one.Place.Task; n >= 0 && n < len(lines) {
			found.Line = lines[n]
			at = fmt.Sprintf("%s:%d: ", path, found.Line)
		}
		inv.progress("%swarning: %s: %s", at, one.Code, plaintext.Line(one.Reason))
		list = append(list, found)
	}
	return list
}

// rooted names the texts of a task by their paths from the root of the
// repository.
func rooted(clone *work.Clone, in board.TaskInput) board.TaskInput {
	in.Spec = clone.Specs.Rooted(in.Spec)
	in.BasedOn = slices.Clone(in.BasedOn)
	for i, ref := range in.BasedOn {
		in.BasedOn[i] = clone.Specs.Rooted(ref)
	}
	return in
}

// readTasks reads a list of tasks, and the line on which each begins.
func (inv *invocation) readTasks(path string) ([]board.TaskInput, []int, error) {
	data, err := inv.readInput(path)
	if err != nil {
		return nil, nil, err
	}
	return parseTasks(path, data)
}

// parseTasks parses a list of tasks; name is that of its file.
func parseTasks(name string, data []byte) ([]board.TaskInput, []int, error) {
	doc, err := document.Parse(name, data, gitstore.MaxMove)
	if err != nil {
		return nil, nil, usagef("git liza help task add", "%v", err)
	}
	var list []board.TaskInput
	if err := doc.DecodeAll(&list, flow.MaxFaults); err != nil {
		return nil, nil, usagef("git liza help task add", "%v", err)
	}
	return list, lists.Of(doc.Root().Entries(), document.Value.Line), nil
}

// inFile adds to an error of a move the file and the line of each task that was
// refused.
func inFile(path string, lines []int, err error) error {
	places := lists.Of(lines, func(line int) planfile.Origin { return planfile.Origin{File: path, Line: line} })
	return inFiles(path, places, err)
}

// inFiles is inFile for tasks that stand in several files.
func inFiles(path string, places []planfile.Origin, err error) error {
	var refusal *flow.Refusal
	if path == "" || !errors.As(err, &refusal) || len(refusal.Faults) == 0 {
		return err
	}
	faults := []map[string]any{}
	var text []string
	for _, one := range refusal.Faults {
		fault := map[string]any{"rule": one.Refusal.Rule, "reason": one.Refusal.Reason, "hint": one.Refusal.Hint}
		line := one.Refusal.Reason
		if one.Place >= 0 && one.Place < len(places) {
			at := places[one.Place]
			fault["line"] = at.Line
			if at.File != path {
				fault["file"] = at.File
			}
			line = fmt.Sprintf("%s:%d: %s", at.File, at.Line, line)
		}
		if len(refusal.Faults) > 1 {
			line += " (" + string(one.Refusal.Rule) + ")"
		}
		faults, text = append(faults, fault), append(text, line)
	}
	if len(text) == flow.MaxFaults {
		text = append(text, "and perhaps more")
	}
	f := classify(err)
	f.reason = strings.Join(text, "\n")
	return &partial{f, map[string]any{"faults": faults}}
}

type taskEditCommand struct {
	IDs []board.TaskID `arg:"" name:"id" help:"The task; without flags also several, which you describe anew in your editor."`
	taskChanges
}

// taskChanges are what a command changes of a task.
type taskChanges struct {
	Clear     []string `enum:"depends_on,owns,verify,based_on,review_by,without,meant,reverts,files,estimate,acceptance,steps,context,consumers,integration_test,verify_timeout,labels" placeholder:"FIELD" help:"Empty depends_on, owns, verify, based_on, review_by, without, meant, reverts, files, estimate, acceptance, steps, context, consumers, integration_test, verify_timeout or labels."`
	taskFlags `schema:"-"`
}

func (c *taskEditCommand) Run(inv *invocation, clone *work.Clone) error {
	switch inForm := reflect.ValueOf(c.taskChanges).IsZero(); {
	case inForm:
		return taskForm{inv, clone}.change(c.IDs)
	case len(c.IDs) > 1:
		return usagef("git liza task edit "+string(c.IDs[0]), "flags change one task at a time; without any, an editor changes several")
	}
	return c.edit(inv, clone, c.IDs[0])
}

// edit describes a task anew as the flags say.
func (c *taskChanges) edit(inv *invocation, clone *work.Clone, id board.TaskID) error {
	if c.Verify != nil {
		if err := clone.Trust.AllowOwn(inv.ctx, *c.Verify); err != nil {
			return err
		}
	}
	r, err := work.Tasks{Clone: clone}.Edit(inv.ctx, id, func(in board.TaskInput) board.TaskInput {
		in = rooted(clone, c.over(in))
		c.clear(&in)
		return in
	})
	if err != nil {
		return err
	}
	showWarnings(inv, r, "", nil)
	return inv.taskResult(r.Result, id, "edited")
}

// clear empties the fields that --clear names.
func (c *taskChanges) clear(in *board.TaskInput) {
	fields := map[string]any{
		"depends_on":       &in.DependsOn,
		"owns":             &in.Owns,
		"verify":           &in.Verify,
		"based_on":         &in.BasedOn,
		"review_by":        &in.ReviewBy,
		"without":          &in.Without,
		"meant":            &in.Meant,
		"reverts":          &in.Reverts,
		"files":            &in.Files,
		"estimate":         &in.Estimate,
		"acceptance":       &in.Acceptance,
		"steps":            &in.Steps,
		"context":          &in.Context,
		"consumers":        &in.Consumers,
		"integration_test": &in.IntegrationTest,
		"verify_timeout":   &in.VerifyTimeout,
		"labels":           &in.Labels,
	}
	for _, name := range c.Clear {
		reflect.ValueOf(fields[name]).Elem().SetZero()
	}
}

// taskResult prints the state of a task after a move.
func (inv *invocation) taskResult(r gitstore.Result, id board.TaskID, what string) error {
	t := r.After.Task(id)
	return inv.result(r, map[string]any{"task": id, "status": t.Status}, "%s %s → %s", id, saidOf(r, what), t.Status)
}

type taskFinalizeCommand struct {
	IDs []board.TaskID `arg:"" name:"id" help:"The drafts."`
}

func (c *taskFinalizeCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, board.ActFinalize, "", &flow.FinalizeMove{Tasks: c.IDs})
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, id := range c.IDs {
		fmt.Fprintf(&text, "%s finalized → %s\n", id, r.After.Task(id).Status)
	}
	return inv.result(r, map[string]any{"tasks": c.IDs}, "%s", text.String())
}
