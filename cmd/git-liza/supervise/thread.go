package supervise

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/flow"
)

// A thread is a session of the provider's that the agent's next one on the same
// work can go on with: the context that it has is not paid for twice. The zero
// value is none.
type thread struct {
	session string
	dir     string     // where it was begun
	attempt int        // of the task
	counted flow.Usage // what its records have counted so far
}

// thread is what the next session on an errand goes on with.
func (s *supervisor) thread(e *errand) thread {
	if e.task == nil {
		return thread{} // each planner works in a folder of its own
	}
	t := s.threads[e.id()]
	if t.dir != e.dir || t.attempt != e.attempt() {
		return thread{}
	}
	return t
}

// tie keeps the thread of a session that has ended, or lets go of one that is
// of no more use: its context is used up, or it could not be gone on with.
func (s *supervisor) tie(r *run, e *errand, ending provider.Ending, st stage) {
	if e.task == nil || len(s.provider.Resume) == 0 && !s.provider.ACP {
		return
	}
	bad := ending.Outcome == provider.Failed || ending.Outcome == provider.Crashed || ending.Outcome == provider.Hung
	next := thread{cmp.Or(ending.Report.Session, r.chosen), e.dir, e.attempt(), ending.Report.Usage}
	switch {
	case ending.Outcome == provider.Exhausted || st == handed,
		r.thread.session != "" && bad && ending.Report.Turns <= 1 && ending.Trouble == nil,
		bad && ending.Report.Session == "",
		next.session == "":
		delete(s.threads, e.id())
	default:
		s.threads[e.id()] = next
	}
}

// attempt is the number of the attempt that an errand is about.
func (e *errand) attempt() int {
	if e.task == nil || e.task.Attempt == nil {
		return 0
	}
	return e.task.Attempt.Number
}

// used is what a session has used by its records. Where they count all that
// its thread has used, what came before is taken off.
func (r *run) used(report transcript.Report) flow.Usage {
	return r.counts.Since(report, r.thread.counted).Usage
}
