package supervise

import (
	"context"
	"sync"

	"github.com/git-liza/git-liza/flow"
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
// and form a pattern. t is what the look at the board has found so far.
func tripBreaker(ctx context.Context, s *supervisor, b *flow.Board, t lookResult) (lookResult, error) {
	next := b.Settings().Next.Record
	trip := s.clone.Caller.Move(flow.ActTrip, "", &flow.TripMove{})
	if s.rush.NoTrips || !s.rush.judged.isNew(next) || b.Admissible(trip, nil) != nil {
		return t, b.Err()
	}
	return s.makeAlone(ctx, dueLock, t, s.clone.Trip, func(why error) {
		s.rush.judged.note(next)
		if why != nil {
			s.ask("%s: records form a pattern, and the circuit breaker cannot be tripped: %v", s.id, why)
		}
	})
}
