package supervise

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// dueTries remembers which automatic moves could not be made at a state of the board, so
// that they are not tried again until it changes.
type dueTries struct {
	mu     sync.Mutex
	tip    board.ObjectID
	failed []flow.Move
	said   string // why the last one was refused
}

// isTried reports whether an automatic move could not be made at a state of the board.
func (d *dueTries) isTried(tip board.ObjectID, due flow.Move) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tip != tip {
		return false
	}
	return slices.ContainsFunc(d.failed, func(m flow.Move) bool { return m.Judges(due) })
}

// note notes an automatic move that could not be made at a state of the board; why is nil
// if the board does not ask for it any more. It returns true if this trouble is new.
func (d *dueTries) note(tip board.ObjectID, due flow.Move, why error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tip != tip {
		d.tip, d.failed = tip, nil
	}
	d.failed = append(d.failed, due)
	if why == nil || why.Error() == d.said {
		return false
	}
	d.said = why.Error()
	return true
}

// makeDue makes the first automatic move that the board asks for and that the agent may
// make. Only one supervisor of a clone makes one at a time; the others go on with their
// own work.
func makeDue(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	now := s.boardTime(b)
	if next := board.NextDeadline(b, now); !next.IsZero() {
		t.wakeBy(time.Now().Add(next.Sub(now)))
	}
	moves := flow.DueMoves(b, now, s.rush.goals()...)
	if err := b.Err(); err != nil {
		return err
	}
	for _, due := range moves {
		made := s.clone.Caller.Move(due.Act, "", due.Detail)
		made.Goal = due.Goal
		if flow.Admissible(b, made, nil) == nil && !s.rush.due.isTried(t.tip, due) {
			if due.Act == board.ActComplete && (isLevelOpen(b, due.Goal) || awaitPlanner(s, b, due.Goal, t)) {
				continue
			}
			return s.makeAlone(ctx, dueLock, t, func(ctx context.Context) (bool, error) {
				made, err := s.clone.MakeDue(ctx, due)
				if made && due.Act == board.ActComplete {
					tellUnentered(ctx, s, due.Goal)
				}
				return made, err
			}, func(why error) {
				if s.rush.due.note(t.tip, due, why) {
					s.ask("%s: the board asks for %s of %s, which cannot be made: %v", s.id, due.Act, due.Goal, why)
				}
			})
		}
	}
	return nil
}

// dueLock is the lock of the process of a clone that makes an automatic move.
const dueLock = "due"

// makeAlone makes an automatic move, unless another supervisor of the clone has the lock.
// If the move could not be made, it calls note: with nil if the board does not ask for
// it any more, else with why not.
func (s *supervisor) makeAlone(ctx context.Context, lock string, t *lookResult, attempt func(context.Context) (made bool, err error), note func(why error)) error {
	release, err := beginAlone(s, lock, t)
	if release == nil {
		return err
	}
	defer release()
	if t.moved, err = attempt(ctx); t.moved {
		return nil
	}
	isRefused := flow.IsRefused(err) && !flow.IsRefused(err, flow.RuleStale) || errors.Is(err, gitstore.ErrForeignRef)
	if err != nil && !isRefused {
		return err
	}
	note(err)
	return nil
}

// beginAlone takes the lock for what one supervisor of the clone does at a time. If another
// one has it, release is nil, and t gets the time to look again.
func beginAlone(s *supervisor, lock string, t *lookResult) (release func(), err error) {
	if release, err = git.TryHoldLock(s.clone.Repo.CommonDir(), lock+".lock"); release != nil {
		s.rush.idle.markBusy(s)
	} else if err == nil {
		t.lookBy(time.Now().Add(busyRetry))
	}
	return release, err
}

// tripBreaker trips the circuit breaker if records came since the last look of the rush
// and form a pattern.
func tripBreaker(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	next := int64(b.Settings().Next.Record)
	for _, g := range b.GoalsInProgress() {
		if g.Streak != nil { // of one task first, then of others too
			next += int64(g.Streak.Failures) << 32
		}
	}
	trip := s.clone.Caller.Move(board.ActTrip, "", &flow.TripMove{})
	if s.rush.NoTrips || s.rush.judged.Load() == next || flow.Admissible(b, trip, nil) != nil {
		return b.Err()
	}
	return s.makeAlone(ctx, dueLock, t, s.clone.Trip, func(why error) {
		s.rush.judged.Store(next)
		if why != nil {
			s.ask("%s: records form a pattern, and the circuit breaker cannot be tripped: %v", s.id, why)
		}
	})
}
