package work

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/breaker"
	"github.com/git-liza/git-liza/gitstore/git"
)

// errNotDue ends the build of an automatic move that the board does not ask for.
var errNotDue = errors.New("the board does not ask for the move")

// MakeDue makes one of the board's [flow.DueMoves] if the board that it is built for
// still asks for it: after a lost race it is judged again. made is false if somebody
// else was faster, or the board has moved past it; nothing was written then.
func (c *Clone) MakeDue(ctx context.Context, due flow.Move) (made bool, err error) {
	return c.makeIfDue(ctx, func(b *board.Board, at time.Time) (flow.Move, bool) {
		for _, now := range flow.DueMoves(b, at, due.Goal) {
			if now.Judges(due) {
				m := c.Caller.Move(now.Act, "", now.Detail)
				m.Goal = now.Goal
				return m, true
			}
		}
		return flow.Move{}, false
	})
}

// Trip trips the circuit breaker if the board that the move is built for has a pattern
// with a record newer than the last reset: after a lost race it is judged again. made is
// false if there is none, or somebody else was faster; nothing was written then.
func (c *Clone) Trip(ctx context.Context) (made bool, err error) {
	return c.makeIfDue(ctx, func(b *board.Board, _ time.Time) (flow.Move, bool) {
		trip := breaker.Trip(b)
		return c.Caller.Move(board.ActTrip, "", trip), trip != nil
	})
}

// makeIfDue makes the move that find returns for the board that it is built for, if the
// board asks for one.
func (c *Clone) makeIfDue(ctx context.Context, find func(b *board.Board, at time.Time) (m flow.Move, due bool)) (made bool, err error) {
	r, err := c.Store.Do(ctx, func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		m, due := find(b, at)
		if err := b.Err(); err != nil {
			return flow.Move{}, nil, err
		}
		if !due {
			return flow.Move{}, nil, errNotDue
		}
		return m, nil, nil
	})
	if errors.Is(err, errNotDue) {
		return false, nil
	}
	return err == nil && !r.Already, err
}

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
func (t *Tripper) Look(ctx context.Context, b *board.Board, news bool) (left *flow.TripMove, why string, again time.Time) {
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
