package supervise

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
)

// keep records a session that has ended, on the board. That this does not work
// out is said, and does not stop the work.
func (s *supervisor) keep(ctx context.Context, r *run, e *errand, ending provider.Ending, b *flow.Board, st stage) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if err := s.recovered(ending); err != nil {
		s.sayOnce("%s: %v", s.id, err)
	}
	d := &flow.SessionMove{Provider: s.provider.Name, Model: s.model(ending), Role: e.role,
		Outcome: e.word(b, st, ending), Usage: r.used(ending.Report)}
	d.Usage.Sessions, d.Usage.Seconds = 1, int64(time.Since(r.started).Seconds())
	d.Usage = d.Usage.Bounded()
	if d.Outcome == "lost" && b.Agent(s.id) == nil {
		return // nobody is left to record it
	}
	if _, err := s.clone.Make(ctx, flow.ActSession, e.id(), d); err != nil && !s.rush.offline(err) {
		s.sayOnce("%s: the session on %s is not recorded: %v", s.id, e.subject(), err)
	}
}

func (s *supervisor) model(ending provider.Ending) string {
	if ending.Report.Model != "" {
		return ending.Report.Model
	}
	return s.provider.Model
}
