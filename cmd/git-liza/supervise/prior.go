package supervise

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/flow"
)

// A priorSession is a session of the provider's that the agent's next one on the same
// work can go on with: the context that it has is not paid for twice. The zero
// value is none.
type priorSession struct {
	id      string
	dir     string     // where it was begun
	attempt int        // of the task
	usage   flow.Usage // what its records have counted so far
}

// priorOf is what the next session on an assignment goes on with.
func (w *worker) priorOf(a *assignment) priorSession {
	if a.task == nil {
		return priorSession{} // each planner works in a folder of its own
	}
	t := w.priors[a.taskID()]
	if t.dir != a.dir || t.attempt != a.attemptNumber() {
		return priorSession{}
	}
	return t
}

// keepPrior keeps the session of the provider that has ended, or lets go of one that is
// of no more use: its context is used up, or it could not be gone on with.
func (w *worker) keepPrior(r *session, a *assignment, ending provider.Ending, st stage) {
	if a.task == nil || len(w.provider.Resume) == 0 && !w.provider.ACP {
		return
	}
	bad := ending.Outcome == provider.Failed || ending.Outcome == provider.Crashed || ending.Outcome == provider.Hung
	next := priorSession{cmp.Or(ending.Report.Session, r.chosenID), a.dir, a.attemptNumber(), ending.Report.Usage}
	switch {
	case ending.Outcome == provider.Exhausted || st == handed,
		r.prior.id != "" && bad && ending.Report.Turns <= 1 && ending.Trouble == nil,
		bad && ending.Report.Session == "",
		next.id == "":
		delete(w.priors, a.taskID())
	default:
		w.priors[a.taskID()] = next
	}
}

// attemptNumber is the number of the attempt that an assignment is about.
func (a *assignment) attemptNumber() int {
	if a.task == nil || a.task.Attempt == nil {
		return 0
	}
	return a.task.Attempt.Number
}

// usageOf is what a session has used by its records. Where they count all that
// the sessions before it have used, what came before is taken off.
func (r *session) usageOf(report transcript.Report) flow.Usage {
	return r.counting.Since(report, r.prior.usage).Usage
}
