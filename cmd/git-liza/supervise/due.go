package supervise

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// dueTries remembers which automatic moves could not be made at a state of the board, so
// that they are not tried again until it changes.
type dueTries struct {
	mu     sync.Mutex
	tip    flow.ObjectID
	failed []flow.Move
	said   string // why the last one was refused
}

// isTried reports whether an automatic move could not be made at a state of the board.
func (d *dueTries) isTried(tip flow.ObjectID, due flow.Move) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tip != tip {
		return false
	}
	for _, m := range d.failed {
		if m.Judges(due) {
			return true
		}
	}
	return false
}

// note notes an automatic move that could not be made at a state of the board; why is ""
// if the board does not ask for it any more. It returns true if this trouble is new.
func (d *dueTries) note(tip flow.ObjectID, due flow.Move, why string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tip != tip {
		d.tip, d.failed = tip, nil
	}
	d.failed = append(d.failed, due)
	if why == "" || why == d.said {
		return false
	}
	d.said = why
	return true
}

// makeDue makes the first automatic move that the board asks for and that the agent may
// make. Only one supervisor of a clone makes one at a time; the others go on with their
// own work. t is what the look has found so far.
func (s *supervisor) makeDue(ctx context.Context, b *flow.Board, tip flow.ObjectID, t lookResult) (lookResult, error) {
	now := s.boardTime(b)
	if next := flow.NextDeadline(b, now); !next.IsZero() {
		t.wakeBy(time.Now().Add(next.Sub(now)))
	}
	moves := flow.DueMoves(b, now, s.rush.goals()...)
	if err := b.Err(); err != nil {
		return t, err
	}
	for _, due := range moves {
		made := s.clone.Caller.Move(due.Act, "", due.Detail)
		made.Goal = due.Goal
		if b.Admissible(made, nil) == nil && !s.rush.due.isTried(tip, due) {
			return s.tryDue(ctx, tip, due, t)
		}
	}
	return t, nil
}

// tryDue makes one automatic move, unless another supervisor is at it.
func (s *supervisor) tryDue(ctx context.Context, tip flow.ObjectID, due flow.Move, t lookResult) (lookResult, error) {
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
	_, made, err := s.clone.MakeDue(ctx, due)
	var refusal *flow.Refusal
	switch {
	case made:
		t.moved = true
	case err == nil:
		s.rush.due.note(tip, due, "")
	case errors.As(err, &refusal) && refusal.Rule == flow.RuleStale:
		return t, err
	case errors.As(err, &refusal), errors.Is(err, gitstore.ErrForeignRef):
		if s.rush.due.note(tip, due, err.Error()) {
			s.ask("%s: the board asks for %s of %s, which cannot be made: %v", s.id, due.Act, due.Goal, err)
		}
	default:
		return t, err
	}
	return t, nil
}
