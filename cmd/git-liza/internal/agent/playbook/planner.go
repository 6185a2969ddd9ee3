package playbook

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// plan adds the planned tasks that are not on the board, in one move. If there are
// none, it leaves a note that says so: the trigger then waits for a human.
func (a *Agent) plan(ctx context.Context, p *Playbook) error {
	var b struct {
		Tasks []task `json:"tasks"`
	}
	if err := a.liza(ctx, nil, &b, "list", "--all"); err != nil {
		return err
	}
	missing := slices.Clone(p.Plan)
	for _, t := range b.Tasks {
		missing = slices.DeleteFunc(missing, func(in board.TaskInput) bool { return in.ID == t.ID })
	}
	if len(missing) == 0 {
		word := "every planned task is on the board" + waitingTasks(b.Tasks)
		a.say("%s", word)
		return a.liza(ctx, nil, nil, "note", word, "--for=all")
	}
	text, err := document.Encode(&missing)
	if err != nil {
		return err
	}
	if err := a.liza(ctx, bytes.NewReader(text), nil, "task", "add", "--from", "-"); err != nil {
		return err
	}
	a.say("%d tasks added", len(missing))
	return nil
}

// waitingTasks names the tasks that only a planner or a human can move on.
func waitingTasks(tasks []task) string {
	var names []string
	for _, t := range tasks {
		if t.Status.IsStuck() {
			names = append(names, string(t.ID)+" is "+t.Status.String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; the playbook has no answer for this: " + strings.Join(names, ", ")
}
