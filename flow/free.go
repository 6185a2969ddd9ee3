package flow

import "time"

// Next is the first time after at at which a lease or a reservation of a task
// ends, so that an agent of the role may have something to do that it has not
// now; the zero time if there is none. Reservations are of interest to coders
// alone.
func (b *Board) Next(role Role, at time.Time) time.Time {
	var next time.Time
	b.each(func(s *Summary) {
		free := b.free(s, role)
		if free.After(at) && (next.IsZero() || free.Before(next)) {
			next = free
		}
	})
	return next
}

// free is when a task, or its review, stops being kept from others of a role;
// the zero time if nothing is known to keep it.
func (b *Board) free(s *Summary, role Role) time.Time {
	switch {
	case s.Status == Claimed:
		return b.reclaim(s.Lease)
	case s.Status == ReadyForReview:
		return s.ReviewLease
	case s.Status == IntegrationFailed && role == Coder:
		return b.reservation(s.FailedAt)
	case role == Coder:
		return b.LeftUntil(*s)
	}
	return time.Time{}
}

// reclaim is when a claim whose lease ends then may be taken by others.
func (b *Board) reclaim(lease time.Time) time.Time {
	return lease.Add(time.Duration(b.Settings().Config.Grace) + time.Second)
}

// reservation is how long a task is kept for its coder that failed to merge then.
func (b *Board) reservation(failed time.Time) time.Time {
	return failed.Add(time.Duration(b.Settings().Config.Lease))
}

// LeftUntil is until when other coders should leave a rejected task to its
// coder, if that one is registered and not degraded: anybody else would have to
// begin afresh. The rules do not demand it. The zero time is not at all.
func (b *Board) LeftUntil(s Summary) time.Time {
	if s.Status != Rejected {
		return time.Time{}
	}
	if a := b.Agent(s.Coder.Agent()); a == nil || a.Degraded != "" {
		return time.Time{}
	}
	return s.Changed.Add(time.Duration(b.Settings().Config.Lease))
}

// Holding is how a task is kept from others.
type Holding uint8

// The ways of keeping a task.
const (
	Free     Holding = iota // nobody has it to itself
	Held                    // its coder holds the claim
	Reviewed                // a reviewer holds the review
	Left                    // others leave it to its coder, see [Board.LeftUntil]
)

// Holder is the actor that holds a task or its review, and the time until which it
// does. The time may have passed.
func (b *Board) Holder(s Summary) (how Holding, by Actor, until time.Time) {
	switch s.Status {
	case Claimed:
		return Held, s.Coder, s.Lease
	case ReadyForReview:
		return Reviewed, s.Reviewer, s.ReviewLease
	case Rejected:
		return Left, s.Coder, b.LeftUntil(s)
	}
	return Free, "", time.Time{}
}
