package flow

import "slices"

// A Wait is an event that an agent can wait for in its session.
type Wait struct {
	Name  string // what it is called on the command line
	in    states // the event is still to come
	there states // the event has come
	not   string // what a task in another state needs first
}

// Waits are all waits.
var Waits = []Wait{
	{"verdict", in(ReadyForReview), in(Rejected, Approved, Merged, IntegrationFailed), "a task that is not submitted gets no verdict"},
	{"resubmission", in(Unclaimed, Claimed, Rejected, IntegrationFailed), in(ReadyForReview), "nobody works on it"},
	{"merge", in(ReadyForReview, Approved), in(Merged, IntegrationFailed), "only submitted work is merged"},
}

// WaitFor is the wait of that name; its Name is "" if there is none.
func WaitFor(name string) Wait {
	i := slices.IndexFunc(Waits, func(w Wait) bool { return w.Name == name })
	if i < 0 {
		return Wait{}
	}
	return Waits[i]
}

// Over reports whether the event that the actor waits for has come already. It
// refuses waits that cannot end.
func (b *Board) Over(w Wait, id TaskID, by Actor) (bool, *Refusal) {
	t := b.Task(id)
	show := "git liza show " + string(id)
	switch {
	case t == nil:
		return false, refuse(RuleNotFound, "git liza list", "there is no task %s", id)
	case t.IsReviewedBy(by) && w.there.has(t.Status):
		return false, refuse(RuleState, show, "%s waits for your own verdict", id)
	case w.there.has(t.Status):
		return true, nil
	case w.in.has(t.Status):
		return false, nil
	case t.Status.Final():
		return false, refuse(RuleFinal, show, "%s is %s, and nothing leaves a final state: there will be no %s", id, t.Status, w.Name)
	}
	return false, refuse(RuleState, show, "%s is %s: %s", id, t.Status, w.not)
}

// Ended reports whether a wait is over that began when the task was as begun.
// The agent may have missed the states in between; a new submission then ends
// the wait.
func (w Wait) Ended(begun, now *Task) bool {
	return !w.in.has(now.Status) || now.Submissions != begun.Submissions
}
