package flow

import "slices"

// A Wait is what an agent can wait for in its session: in which states of its
// task there is something to wait for, and in which it has come already.
type Wait struct {
	Name  string // what it is called on the command line
	in    states
	there states
	not   string // what a task in another state needs first
}

// Waits are all there are.
var Waits = []Wait{
	{"verdict", in(ReadyForReview), in(Rejected, Approved, Merged, IntegrationFailed), "no verdict comes on a task that is not submitted"},
	{"resubmission", in(Unclaimed, Claimed, Rejected, IntegrationFailed), in(ReadyForReview), "nobody works on it"},
	{"merge", in(ReadyForReview, Approved), in(Merged, IntegrationFailed), "only what is submitted is merged"},
}

// WaitFor is the wait of that name; its Name is "" if there is none.
func WaitFor(name string) Wait {
	i := slices.IndexFunc(Waits, func(w Wait) bool { return w.Name == name })
	if i < 0 {
		return Wait{}
	}
	return Waits[i]
}

// Over reports whether what the actor waits for on a task is there already. It
// refuses to wait for what does not come.
func (b *Board) Over(w Wait, id TaskID, by Actor) (bool, *Refusal) {
	t := b.Task(id)
	show := "git liza show " + string(id)
	switch {
	case t == nil:
		return false, refuse(RuleNotFound, "git liza list", "there is no task %s", id)
	case t.Review != nil && t.Review.By == by && w.there.has(t.Status):
		return false, refuse(RuleState, show, "%s waits for your own verdict", id)
	case w.there.has(t.Status):
		return true, nil
	case w.in.has(t.Status):
		return false, nil
	case t.Status.Final():
		return false, refuse(RuleFinal, show, "%s is %s, and nothing leaves a final state: no %s comes", id, t.Status, w.Name)
	}
	return false, refuse(RuleState, show, "%s is %s: %s", id, t.Status, w.not)
}

// Ended reports whether a wait for a task that was as begun is over. The states
// in between may have passed unseen: then it is another submission that waits.
func (w Wait) Ended(begun, now *Task) bool {
	return !w.in.has(now.Status) || now.Submissions != begun.Submissions
}
