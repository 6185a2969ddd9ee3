package supervise

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// judgedRecords remembers up to which record a rush has looked for patterns.
type judgedRecords struct {
	mu   sync.Mutex
	next int // number of the next record by then
}

// isNew reports whether records came since the last look.
func (j *judgedRecords) isNew(next int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.next != next
}

func (j *judgedRecords) note(next int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = next
}

// tripBreaker trips the circuit breaker if records came since the last look of the rush
// and form a pattern. Only one supervisor of a clone looks at a time. t is what the look
// at the board has found so far.
func tripBreaker(ctx context.Context, s *supervisor, b *flow.Board, t lookResult) (lookResult, error) {
	next := b.Settings().Next.Record
	trip := s.clone.Caller.Move(flow.ActTrip, "", &flow.TripMove{})
	if s.rush.NoTrips || !b.HasRules(3) || !s.rush.judged.isNew(next) || b.Admissible(trip, nil) != nil {
		return t, b.Err()
	}
	release, err := tryLock(s.clone.Repo.CommonDir(), "due")
	if err != nil {
		return t, err
	}
	if release == nil {
		t.lookBy(time.Now().Add(busyRetry))
		return t, nil
	}
	defer release()
	s.rush.idle.markBusy(s)
	made, err := s.clone.Trip(ctx)
	var refusal *flow.Refusal
	switch {
	case made:
		t.moved = true
	case err == nil:
		s.rush.judged.note(next)
	case errors.As(err, &refusal) && refusal.Rule == flow.RuleStale:
		return t, err
	case errors.As(err, &refusal), errors.Is(err, gitstore.ErrForeignRef):
		s.rush.judged.note(next)
		s.ask("%s: records form a pattern, and the circuit breaker cannot be tripped: %v", s.id, err)
	default:
		return t, err
	}
	return t, nil
}
