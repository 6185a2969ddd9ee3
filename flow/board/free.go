package board

import "time"

// Next is the first time after at when a lease or a reservation of a task ends,
// so that an agent of the role may get work; the zero time if there is none.
// Reservations matter only to the role that does the task.
func (b *Board) Next(role Role, at time.Time) time.Time {
	var next time.Time
	b.Each(func(s *Summary) {
		free := freeFrom(b, s, role, at)
		if free.After(at) && (next.IsZero() || free.Before(next)) {
			next = free
		}
	})
	return next
}

// freeFrom is when a task, or its review, becomes available to other agents of a
// role; the zero time if no known time keeps it from them.
func freeFrom(b *Board, s *Summary, role Role, at time.Time) time.Time {
	switch {
	case s.Status == Claimed:
		return ReclaimAt(b, s.Lease)
	case s.Status == ReadyForReview:
		if j := s.Judge(role); j != nil {
			return j.Lease
		}
		_, lease := s.Reviewing(at)
		return lease // the verdict may bring work for the holder of the task
	case s.Role == role && s.Status == IntegrationFailed:
		return LeaseFrom(b, s.FailedAt) // kept for its coder
	case s.Role == role && s.Status == Superseded && s.Failures > 0:
		return LeaseFrom(b, s.Entered) // who failed it leaves what replaces it to others
	case s.Role == role:
		return b.LeftUntil(*s)
	}
	return time.Time{}
}

// ReclaimAt is when other coders may take a claim whose lease ends at that time.
func ReclaimAt(b *Board, lease time.Time) time.Time {
	return lease.Add(time.Duration(b.Settings().Config.Grace) + time.Second)
}

// LeaseFrom is the end of a lease of the board that begins then.
func LeaseFrom(b *Board, at time.Time) time.Time {
	return at.Add(time.Duration(b.Settings().Config.Lease))
}

// LeftUntil is until when other coders should leave a rejected task to its
// coder, if that agent is registered and does not rest: another coder would have
// to begin afresh. The rules do not enforce it. The zero time means that they
// need not wait.
func (b *Board) LeftUntil(s Summary) time.Time {
	if s.Status != Rejected {
		return time.Time{}
	}
	if a := b.Agent(s.Coder.Agent()); a == nil || a.Degraded != "" {
		return time.Time{}
	}
	return s.Changed.Add(time.Duration(b.Settings().Config.Lease))
}

// Holding is the way in which a task is kept from others.
type Holding uint8

// The ways of keeping a task.
const (
	Free     Holding = iota // nobody holds it
	Held                    // its coder holds the claim
	Reviewed                // a reviewer holds the review
	Left                    // others leave it to its coder, see [Board.LeftUntil]
)

// Holder is how a task, or its review, is kept from others, for whom, and until
// when. The time may have passed.
func (b *Board) Holder(s Summary) (how Holding, by Actor, until time.Time) {
	switch s.Status {
	case Claimed:
		return Held, s.Coder, s.Lease
	case ReadyForReview:
		by, until = s.Reviewing(b.At())
		return Reviewed, by, until
	case Rejected:
		return Left, s.Coder, b.LeftUntil(s)
	}
	return Free, "", time.Time{}
}
