package supervise

import (
	"cmp"
	"context"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/templates"
)

// A priorSession is a session of the provider that the agent's next session on the same
// work can continue, so that its context is not paid for twice. The zero value means
// none.
type priorSession struct {
	id      string
	dir     string      // where it began
	attempt int         // of the task
	usage   board.Usage // what its records have counted so far
	prompt  templates.Prompt
	told    string // instead of the prompt, by a supervisor that was killed; without secrets
}

// priorOf returns the session that the next one on an assignment continues.
func (w *worker) priorOf(ctx context.Context, a *assignment) priorSession {
	if a.task == nil {
		return priorSession{} // each planner works in a folder of its own
	}
	t, known := w.priors[a.taskID()]
	if !known {
		t = killedPrior(ctx, w, a)
	}
	if t.dir != a.dir || t.attempt != a.attemptNumber() {
		return priorSession{}
	}
	return t
}

// killedPrior returns the session of the agent on the same work that was cut off with its supervisor.
func killedPrior(ctx context.Context, w *worker, a *assignment) (t priorSession) {
	list, err := gitstore.Sessions(ctx, w.clone.Repo, gitstore.SessionFilter{Task: a.taskID(), Limit: 1})
	if err != nil || len(list) == 0 || len(w.provider.Resume) == 0 && !w.provider.ACP {
		return t
	}
	if last := list[0]; last.Outcome == "killed" && last.Agent == w.id && last.Provider == w.provider.Name && last.Session != "" {
		t = priorSession{id: last.Session, dir: last.Dir, attempt: a.attemptNumber(), usage: last.Usage}
		if _, told, _, err := gitstore.Session(ctx, w.clone.Repo, last.ID); err == nil {
			t.told = string(told)
		}
	}
	return t
}

// keepPrior keeps the provider's session that has ended, or drops one that cannot be
// continued because its context is used up or the provider refused it.
func (w *worker) keepPrior(r *session, a *assignment, ending provider.Ending, st stage) {
	if a.task == nil || len(w.provider.Resume) == 0 && !w.provider.ACP {
		return
	}
	bad := ending.Outcome == provider.Failed || ending.Outcome == provider.Crashed || ending.Outcome == provider.Hung
	next := priorSession{cmp.Or(ending.Report.Session, r.chosenID), a.dir, a.attemptNumber(), ending.Report.Usage, r.made, ""}
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

// attemptNumber returns the number of the assignment's attempt.
func (a *assignment) attemptNumber() int {
	if a.task == nil || a.task.Attempt == nil {
		return 0
	}
	return a.task.Attempt.Number
}

// usageOf returns what a session used by its records. If they include the usage of the
// sessions before it, that is subtracted.
func (r *session) usageOf(report transcript.Report) board.Usage {
	return r.counting.Since(report, r.prior.usage).Usage
}
