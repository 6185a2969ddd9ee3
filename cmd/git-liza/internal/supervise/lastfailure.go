package supervise

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// LastFailure returns by what the last claim of a task by an agent of a role failed, ""
// if none did since the last submission. It is found among the moves once somebody has
// unblocked the task, since the board then counts anew.
func LastFailure(ctx context.Context, store *gitstore.Store, t *flow.Task, role flow.Role) (why string, err error) {
	if t.Retry != nil {
		return t.Retry.Error, nil
	}
	if t.Attempts == 0 || t.Attempts == 1 && t.Claim != nil && t.Attempt != nil && t.Attempt.Iteration == 1 {
		return "", nil // nobody had it before
	}
	tip, err := store.Tip(ctx)
	if err != nil {
		return "", err
	}
	err = store.Events(tip, func(e gitstore.Event) (bool, error) {
		m := e.Move
		if m.Task == t.ID && m.Act == flow.ActSubmit {
			return false, nil
		}
		if d, ok := m.Detail.(*flow.SessionMove); ok && m.Task == t.ID && d.Role == role {
			why = d.Error
		}
		return why == "" && !m.At.Before(t.Created), ctx.Err()
	})
	return why, err
}
