package supervise

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
)

// A run is one session of an agent's program, and what is to be recorded of it.
type run struct {
	prompt  string
	begun   time.Time // by the clock of the board
	started time.Time
	chosen  string         // the id that the provider's session shall have
	thread  thread         // what it goes on with
	counts  provider.Usage // what its records count; "" where nothing came before
	output  *proc.Clip
}

// keptOutput is how many bytes of the beginning, and of the end, of a
// session's output are kept for its record.
const keptOutput = 512 << 10

func (s *supervisor) newRun(e *errand, prompt string) *run {
	r := &run{prompt: prompt, begun: s.clone.Store.Now(), started: time.Now(), thread: s.thread(e), output: proc.NewClip(keptOutput)}
	if r.thread.session == "" && len(s.provider.Session) > 0 {
		r.chosen = provider.NewSession()
	}
	if r.thread.session != "" {
		r.counts = s.provider.Usage
	}
	s.rush.tab.begin(r)
	return r
}

// word is the outcome of a session as the board records it.
func (e *errand) word(b *flow.Board, st stage, ending provider.Ending) string {
	switch {
	case st == done && e.role == flow.CodeReviewer:
		if e.rejected(b.Task(e.id()), e.task.Review.By) {
			return "rejected"
		}
		return "approved"
	case st == done && b.Task(e.id()).Submissions > e.task.Submissions:
		return "submitted"
	case st == done:
		return "blocked"
	case st == lost || st == fenced:
		return "lost"
	case e.spent:
		return "budget"
	case st == handed || ending.Outcome == provider.Exhausted:
		return "handoff"
	case e.role == flow.Planner && len(remaining(e.triggers, b.Triggers())) < len(e.triggers):
		return "planned"
	}
	return fate(ending)
}

// fate is the outcome of a session that brought no move.
func fate(ending provider.Ending) string {
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
