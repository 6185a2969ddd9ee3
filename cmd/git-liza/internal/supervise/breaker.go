package supervise

import (
	"context"

	"github.com/git-liza/git-liza/flow"
)

// tripBreaker trips the circuit breaker if records came since the last look of the rush
// and form a pattern. t is what the look at the board has found so far.
func tripBreaker(ctx context.Context, s *supervisor, b *flow.Board, t lookResult) (lookResult, error) {
	next := int64(b.Settings().Next.Record)
	for _, g := range b.GoalsInProgress() {
		if g.Streak != nil { // of one task first, then of others too
			next += int64(g.Streak.Failures) << 32
		}
	}
	trip := s.clone.Caller.Move(flow.ActTrip, "", &flow.TripMove{})
	if s.rush.NoTrips || s.rush.judged.Load() == next || b.Admissible(trip, nil) != nil {
		return t, b.Err()
	}
	return s.makeAlone(ctx, dueLock, t, s.clone.Trip, func(why error) {
		s.rush.judged.Store(next)
		if why != nil {
			s.ask("%s: records form a pattern, and the circuit breaker cannot be tripped: %v", s.id, why)
		}
	})
}
