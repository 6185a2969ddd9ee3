package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// planBoard gives the planner a session if a trigger on the board is due. One planner
// of a clone works at a time: two would answer the same trigger twice.
func (s *supervisor) planBoard(ctx context.Context, b *board.Board) (lookResult, error) {
	if time.Now().Before(s.worker.restUntil) {
		return dueAt(s.worker.restUntil), nil
	}
	triggers := flow.Triggers(b, s.rush.goals()...)
	if due, _, next := s.rush.triggers.dueTriggers(triggers, s.rush.Limits.Plans); len(due) == 0 {
		r := dueAt(next)
		if given := s.rush.triggers.failedTriggers(triggers, s.rush.Limits.Plans); len(given) > 0 {
			r.doing, r.why = gitstore.Failing, fmt.Sprintf("%d sessions on %s failed", s.rush.Limits.Plans, triggersText(given))
		}
		return r, nil
	}
	unlock, err := git.TryHoldLock(s.clone.Repo.CommonDir(), "planner.lock")
	if err != nil {
		return lookResult{}, err
	}
	if unlock == nil {
		return dueAt(time.Now().Add(busyRetry)), nil
	}
	defer unlock()
	return s.planTriggers(ctx)
}

// planTriggers gives the planner a session on the triggers that are due. It reads the
// board again: another planner may have answered before this one got the lock.
func (s *supervisor) planTriggers(ctx context.Context) (lookResult, error) {
	b, tip, err := s.clone.Store.Board(ctx)
	if err != nil {
		return lookResult{}, err
	}
	due, _, _ := s.rush.triggers.dueTriggers(flow.Triggers(b, s.rush.goals()...), s.rush.Limits.Plans)
	if len(due) == 0 {
		return boardMoved(), nil
	}
	goal, why, err := s.goalToPlan(ctx, b, tip, due)
	if err != nil {
		return lookResult{}, err
	}
	if goal == "" {
		if why != "" {
			s.sayOnce("%s does not plan: %s", s.id, why)
		}
		return lookResult{}, nil
	}
	due, failure, _ := s.rush.triggers.dueTriggers(flow.Triggers(b, goal), s.rush.Limits.Plans)
	s.rush.idle.markBusy(s)
	a := &assignment{role: s.slot.Role, capacity: board.Plans, triggers: due, failure: failure}
	var r result
	err = s.clone.Checkouts.Trees.Private(ctx, b.Settings().Integration.Tip, func(dir string) error {
		a.dir = dir
		r, err = s.worker.planTriggers(ctx, a, tip)
		return err
	})
	if _, ok := errors.AsType[*worktrees.CheckoutError](err); ok {
		s.sayOnce("%s does not plan: %v", s.id, err)
		return retryAt(time.Now().Add(retryAfter)), nil
	}
	return assignmentDone(r), err
}

// goalToPlan returns the first goal of the triggers for which a planner may have a session
// now. If there is none, why says so for the first goal, with a command that helps; it is
// "" if another planner's moves have to be waited for.
func (s *supervisor) goalToPlan(ctx context.Context, b *board.Board, tip board.ObjectID, due []flow.Trigger) (goal board.GoalID, why string, err error) {
	running := s.worker.recorder.unrecordedSpending(ctx, b, 0)
	for _, t := range due {
		refusal := flow.CheckBudget(b, t.Goal, "", running...)
		if refusal == nil {
			goal = t.Goal
			break
		}
		why = cmp.Or(why, refusal.Reason+"; "+refusal.Hint)
	}
	if goal == "" {
		return "", why, nil
	}
	if refusal := s.checkRushBounds(b); refusal != nil {
		return "", refusal.Reason + "; " + refusal.Hint, nil
	}
	alone, err := s.plannersAlone(b, tip)
	if err != nil || !alone {
		return goal, "", err
	}
	return "", fmt.Sprintf("planners have had %d sessions in a row while nobody else made a move; look at git liza log, and say how to go on: git liza note", s.rush.Limits.Alone), nil
}

// plannersAlone reports whether only planners have moved for too many sessions: their
// own moves trigger their next sessions.
func (s *supervisor) plannersAlone(b *board.Board, tip board.ObjectID) (bool, error) {
	n := 0
	err := s.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		by := e.Move.By.Agent()
		switch {
		case e.Move.Act == board.ActRegister, e.Move.Act == board.ActUnregister:
		case by == "" || b.CapacityOf(board.Actor(by)) != board.Plans:
			return false, nil
		case e.Move.Act == board.ActSession:
			n++
		}
		return n < s.rush.Limits.Alone, nil
	})
	return n >= s.rush.Limits.Alone, err
}
