package supervise

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// LastReview returns the commit that integration was at when an agent of a role began
// to review a task the time before the last, if the review is under way, else the last
// time. It is "" if no agent of the role began to then.
func LastReview(ctx context.Context, store *gitstore.Store, t *board.Task, role board.Role) (board.ObjectID, error) {
	if t == nil || t.Submission == nil {
		return "", nil
	}
	tip, err := store.Tip(ctx)
	if err != nil {
		return "", err
	}
	since := t.Created
	if t.Submissions == 1 {
		since = t.Submission.At // nobody can have reviewed it before
	}
	current := t.Judgement(role).Review
	var found gitstore.Event
	err = store.Events(tip, func(e gitstore.Event) (bool, error) {
		m := e.Move
		if m.Act != board.ActReview || m.Task != t.ID || m.By.Role() != role {
			return !m.At.Before(since), ctx.Err()
		}
		if current != nil && current.By == m.By {
			current = nil // this move began the review under way, or began it anew after a change of a text
			return true, ctx.Err()
		}
		found = e
		return false, nil
	})
	if err != nil || found.Commit == "" {
		return "", err
	}
	b, err := store.BoardAt(found.Commit)
	if err != nil {
		return "", err
	}
	return b.Settings().Integration.Tip, b.Err()
}

// LastFailure returns by what the last claim of a task by an agent of a role failed, ""
// if none did since the last submission. It is found among the moves once somebody has
// unblocked the task, since the board then counts anew.
func LastFailure(ctx context.Context, store *gitstore.Store, t *board.Task, role board.Role) (why string, err error) {
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
		if m.Task == t.ID && m.Act == board.ActSubmit {
			return false, nil
		}
		if d, ok := m.Detail.(*flow.SessionMove); ok && m.Task == t.ID && d.Role == role {
			why = d.Error
		}
		return why == "" && !m.At.Before(t.Created), ctx.Err()
	})
	return why, err
}
