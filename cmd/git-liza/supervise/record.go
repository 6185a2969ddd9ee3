package supervise

import (
	"cmp"
	"context"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// keep records a session that has ended: what it was told and said below
// refs/liza/sessions, what it used on the board. That this does not work out is
// said, and does not stop the work.
func (s *supervisor) keep(ctx context.Context, r *run, e *errand, ending provider.Ending, b *flow.Board, st stage) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if err := s.recovered(ending); err != nil {
		s.sayOnce("%s: %v", s.id, err)
	}
	d := &flow.SessionMove{Provider: s.provider.Name, Model: cmp.Or(ending.Report.Model, s.provider.Model), Role: e.role,
		Outcome: e.word(b, st, ending), Usage: r.used(ending.Report)}
	d.Usage.Seconds = int64(time.Since(r.started).Seconds())
	if s.counts(ending, d.Usage) {
		d.Usage.Sessions = 1
	}
	d.Usage = d.Usage.Bounded()
	if s.rush.tab.end(r, d) && s.provider.Tokens != provider.CountsNever {
		s.say("what the session of %s on %s used is unknown, and no budget binds it", s.provider.Name, e.subject())
		for _, line := range s.rush.tab.unbound(b, s.rush.Bounds, []Post{s.post}) {
			s.say("%s", line)
		}
	}
	id, err := s.save(ctx, r, e, ending, d)
	if err != nil {
		s.sayOnce("%s: what was said in the session on %s is not kept: %v", s.id, e.subject(), err)
	}
	d.Record = id
	s.owed = append(s.owed, debt{e.id(), d})
	s.pay(ctx)
}

// A debt is a session that is not on the board yet.
type debt struct {
	task flow.TaskID
	move *flow.SessionMove
}

// pay records what is owed, as far as the remote answers.
func (s *supervisor) pay(ctx context.Context) {
	// What is about to be on the board is not counted a second time.
	s.presence.spends(flow.Usage{}, "")
	defer func() { s.presence.spends(s.owes(), "") }()
	for len(s.owed) > 0 {
		next := s.owed[0]
		_, err := s.clone.Make(ctx, flow.ActSession, next.task, next.move)
		if s.rush.offline(err) {
			s.log.note("\n--- recorded when the remote answers\n")
			return
		}
		if err != nil {
			s.say("%s: a session is not recorded: %v", s.id, err)
		}
		s.owed = s.owed[1:]
	}
}

// owes is what sessions have used that is not on the board.
func (s *supervisor) owes() (used flow.Usage) {
	for _, d := range s.owed {
		used = used.Plus(d.move.Usage)
	}
	return used
}

// save keeps prompt and output, without secrets.
func (s *supervisor) save(ctx context.Context, r *run, e *errand, ending provider.Ending, d *flow.SessionMove) (git.ID, error) {
	rec := gitstore.SessionRecord{Agent: s.id, Generation: s.generation, Role: e.role, Task: e.id(), Commit: e.commit(),
		Provider: d.Provider, Model: d.Model, Format: s.provider.Output, Dir: e.dir, Began: r.begun, Ended: s.clone.Store.Now(),
		Outcome: d.Outcome, Ending: ending.Text, Session: cmp.Or(ending.Report.Session, r.chosen), Usage: d.Usage,
		Denied: ending.Report.Denied, Error: ending.Report.Error}
	if s.provider.ACP {
		rec.Format = "plain" // its protocol is logged as people read it
	}
	return gitstore.SaveSession(ctx, s.clone.Repo, rec, s.rush.mask.Bytes([]byte(r.prompt)), r.output.Bytes())
}
