package flow

import "time"

// MaxLease is how long a claim or a review lasts at a time, where the board's
// configuration gives no longer leases. Whoever works renews its lease; a task
// is not to wait for years for somebody who is gone.
const MaxLease = Duration(24 * time.Hour)

// Overlong refuses a move that takes or keeps a task or review for longer than
// [MaxLease] and the board's own leases. It is asked where a move is made or
// admitted, not of history: earlier programs had no such bound.
func (b *Board) Overlong(m Move) *Refusal {
	var lease Duration
	switch d := m.Detail.(type) {
	case *ClaimMove:
		lease = d.Lease
	case *RenewMove:
		lease = d.Lease
	case *ReviewMove:
		lease = d.Lease
	}
	if lease <= MaxLease {
		return nil
	}
	config := b.Settings().Config
	longest := max(MaxLease, config.Lease, config.ReviewLease)
	if lease <= longest {
		return nil
	}
	hint := "git liza " + m.Act.Command() + " " + string(m.Task) + " --lease " + longest.String()
	if id := m.By.Agent(); id != "" {
		hint += " --as " + string(id)
	}
	return refuse(RuleLease, hint, "a lease lasts %s at most on this board, and not %s: whoever works renews it", longest, lease)
}
