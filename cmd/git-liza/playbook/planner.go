package playbook

import (
	"bytes"
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// plan adds the planned tasks that are not on the board, in one move.
func (a *Agent) plan(ctx context.Context, p *Playbook) error {
	var board struct {
		Tasks []struct {
			ID flow.TaskID `json:"id"`
		} `json:"tasks"`
	}
	if err := a.liza(ctx, nil, &board, "list", "--all"); err != nil {
		return err
	}
	missing := slices.Clone(p.Plan)
	for _, t := range board.Tasks {
		missing = slices.DeleteFunc(missing, func(in flow.TaskInput) bool { return in.ID == t.ID })
	}
	if len(missing) == 0 {
		a.say("every planned task is on the board")
		return nil
	}
	text, err := gitstore.Encode(&missing)
	if err != nil {
		return err
	}
	if err := a.liza(ctx, bytes.NewReader(text), nil, "task", "add", "--from", "-"); err != nil {
		return err
	}
	a.say("%d tasks added", len(missing))
	return nil
}
