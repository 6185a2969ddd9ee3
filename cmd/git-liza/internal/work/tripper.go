package work

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/breaker"
)

const (
	// tripAgain is how long a tripper waits after an attempt before it makes the next one for
	// the same records.
	tripAgain = time.Minute
	// tripLook is when it looks what came of an attempt.
	tripLook = time.Second
)

// A Tripper trips the circuit breaker beside something that follows the board, by
// [Clone.Trip]. It is for one goroutine, which an attempt does not keep waiting.
type Tripper struct {
	clone *Clone
	bars  string // why it makes no attempt, "" if it does

	trip    *flow.TripMove // that the board calls for, nil if it calls for none
	running bool           // the board was RUNNING
	ended   chan error     // gets what came of the attempt that is under way; nil if none is
	why     string         // the last one failed, "" if it did not
	next    time.Time      // when there may be another
}

// NewTripper returns a tripper for a clone that is its own, on behalf of who trips. bars says
// why nobody here may, "" if the rules decide.
func NewTripper(c *Clone, bars string) *Tripper { return &Tripper{clone: c, bars: bars} }

// Look looks at a board, and begins an attempt if it calls for a trip. news says that
// anomalies or the circuit breaker may be others than when it looked last. If the trip that
// the board calls for cannot be made here, it is returned with the reason. again is when to
// look once more at the latest, the zero time if it does not matter.
func (t *Tripper) Look(ctx context.Context, b *flow.Board, news bool) (left *flow.TripMove, why string, again time.Time) {
	now := t.clone.Store.Now()
	select {
	case err := <-t.ended:
		t.note(err)
	default:
	}
	if running := b.Settings().Control.State.IsRunning(); news || running != t.running {
		t.running, t.trip, t.next = running, nil, now
		if running {
			t.trip = breaker.Trip(b)
		}
	}
	switch {
	case t.trip == nil:
		t.why = ""
		return nil, "", time.Time{}
	case t.bars != "":
		return t.trip, t.bars, time.Time{}
	case t.ended == nil && !now.Before(t.next):
		t.begin(ctx)
		t.next = now.Add(tripAgain)
	}
	again = t.next
	if t.ended != nil {
		again = now.Add(tripLook)
	}
	if t.why == "" {
		return nil, "", again
	}
	return t.trip, t.why, again
}

func (t *Tripper) begin(ctx context.Context) {
	ended := make(chan error, 1)
	t.ended = ended
	go func() {
		_, err := t.clone.Trip(ctx)
		ended <- err
	}()
}

// note notes what came of the attempt.
func (t *Tripper) note(err error) {
	t.ended, t.why = nil, ""
	if err != nil {
		t.why = err.Error()
	}
}

// Wait waits for the attempt that is under way.
func (t *Tripper) Wait() {
	if t.ended != nil {
		t.note(<-t.ended)
	}
}
