package supervise

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
)

// sessionOutcome returns the outcome of a session as the board records it.
func (a *assignment) sessionOutcome(b *flow.Board, st stage, ending provider.Ending) string {
	switch {
	case st == done && a.question != nil:
		return "answered"
	case st == done && a.capacity == flow.Judges:
		if a.wasRejected(b.Task(a.taskID()), a.review().By) {
			return "rejected"
		}
		return "approved"
	case st == done && b.Task(a.taskID()).Submissions > a.task.Submissions:
		return "submitted"
	case st == done:
		return "blocked"
	case st == lost || st == fenced:
		return "lost"
	case a.outOfBudget:
		return "budget"
	case st == handed || ending.Outcome == provider.Exhausted:
		return "handoff"
	case a.capacity == flow.Plans && len(remainingTriggers(a.triggers, b.Triggers())) < len(a.triggers):
		return "planned"
	case a.loops != "":
		return "loop"
	}
	return outcomeWithoutMove(ending)
}

// outcomeWithoutMove returns the outcome of a session that made no move.
func outcomeWithoutMove(ending provider.Ending) string {
	switch {
	case ending.Trouble != nil && ending.Trouble.Kind == provider.Quota:
		return "quota"
	case ending.Outcome == provider.Canceled:
		return "called_off"
	case ending.Outcome == provider.Hung:
		return "hung"
	case ending.Outcome == provider.Ended:
		return "nothing"
	}
	return "failed"
}
