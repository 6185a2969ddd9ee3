package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// A Wait is an event that an agent can wait for in its session.
type Wait struct {
	Name  string         // what it is called on the command line
	in    board.StateSet // the event is still to come
	there board.StateSet // the event has come
	not   string         // what a task in another state needs first
}

// Waits are all waits.
var Waits = []Wait{
	{"verdict", board.AnyOf(board.ReadyForReview), board.AnyOf(board.Rejected, board.Approved, board.Merged, board.IntegrationFailed), "a task that is not submitted gets no verdict"},
	{"resubmission", board.AnyOf(board.Unclaimed, board.Claimed, board.Rejected, board.IntegrationFailed), board.AnyOf(board.ReadyForReview), "nobody works on it"},
	{"merge", board.AnyOf(board.ReadyForReview, board.Approved), board.AnyOf(board.Merged, board.IntegrationFailed), "only submitted work is merged"},
}

// WaitFor is the wait of that name; its Name is "" if there is none.
func WaitFor(name string) Wait {
	i := slices.IndexFunc(Waits, func(w Wait) bool { return w.Name == name })
	if i < 0 {
		return Wait{}
	}
	return Waits[i]
}

// WaitOver reports whether the event that the actor waits for has come already. It
// refuses waits that cannot end.
func WaitOver(b *board.Board, w Wait, id board.TaskID, by board.Actor) (bool, *Refusal) {
	t := b.Task(id)
	show := "git liza show " + string(id)
	switch {
	case t == nil:
		return false, refuse(RuleNotFound, "git liza list", "there is no task %s", id)
	case t.IsReviewedBy(by) && w.there.Has(t.Status):
		return false, refuse(RuleState, show, "%s waits for your own verdict", id)
	case w.there.Has(t.Status):
		return true, nil
	case w.in.Has(t.Status):
		return false, nil
	case t.Status.Final():
		return false, refuse(RuleFinal, show, "%s is %s, and nothing leaves a final state: there will be no %s", id, t.Status, w.Name)
	}
	return false, refuse(RuleState, show, "%s is %s: %s", id, t.Status, w.not)
}

// Ended reports whether a wait is over that began when the task was as begun.
// The agent may have missed the states in between; a new submission then ends
// the wait.
func (w Wait) Ended(begun, now *board.Task) bool {
	return !w.in.Has(now.Status) || now.Submissions != begun.Submissions
}
