package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/worktrees"
)

// planBoard gives the planner a session if a trigger on the board is due. One planner
// of a clone works at a time: two would answer the same trigger twice.
func (s *supervisor) planBoard(ctx context.Context, b *flow.Board) (lookResult, error) {
	if time.Now().Before(s.worker.restUntil) {
		return dueAt(s.worker.restUntil), nil
	}
	if due, _, next := s.rush.triggers.dueTriggers(b.Triggers(), s.rush.Limits.Plans); len(due) == 0 {
		return dueAt(next), nil
	}
	unlock, err := tryLock(s.clone.Repo.CommonDir(), "planner")
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
	due, failure, _ := s.rush.triggers.dueTriggers(b.Triggers(), s.rush.Limits.Plans)
	if len(due) == 0 {
		return boardMoved(), nil
	}
	why, err := s.refusePlanning(ctx, b, tip)
	if err != nil {
		return lookResult{}, err
	}
	if why != "" {
		s.sayOnce("%s does not plan: %s", s.id, why)
		return lookResult{}, nil
	}
	s.rush.idle.markBusy(s)
	a := &assignment{role: s.slot.Role, capacity: flow.Plans, triggers: due, failure: failure}
	var r result
	err = s.clone.Checkouts.Trees.Private(ctx, b.Settings().Integration.Tip, func(dir string) error {
		a.dir = dir
		r, err = s.worker.planTriggers(ctx, a, tip)
		return err
	})
	var unmade *worktrees.CheckoutError
	if errors.As(err, &unmade) {
		s.sayOnce("%s does not plan: %v", s.id, err)
		return retryAt(time.Now().Add(retryAfter)), nil
	}
	return assignmentDone(r), err
}

// refusePlanning says why no planner may have a session now, with a command that helps;
// "" if one may.
func (s *supervisor) refusePlanning(ctx context.Context, b *flow.Board, tip flow.ObjectID) (string, error) {
	refusal := b.Budget("", s.worker.recorder.unrecordedSpending(ctx, b, 0)...)
	if refusal == nil {
		refusal = s.checkRushBounds(b)
	}
	if refusal != nil {
		return refusal.Reason + "; " + refusal.Hint, nil
	}
	alone, err := s.plannersAlone(b, tip)
	if err != nil || !alone {
		return "", err
	}
	return fmt.Sprintf("planners have had %d sessions in a row while nobody else made a move; look at git liza log, and say how to go on: git liza note", s.rush.Limits.Alone), nil
}

// plannersAlone reports whether only planners have moved for too many sessions: their
// own moves trigger their next sessions.
func (s *supervisor) plannersAlone(b *flow.Board, tip flow.ObjectID) (bool, error) {
	n := 0
	err := s.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		by := e.Move.By.Agent()
		switch {
		case e.Move.Act == flow.ActRegister, e.Move.Act == flow.ActUnregister:
		case by == "" || b.CapacityOf(flow.Actor(by)) != flow.Plans:
			return false, nil
		case e.Move.Act == flow.ActSession:
			n++
		}
		return n < s.rush.Limits.Alone, nil
	})
	return n >= s.rush.Limits.Alone, err
}
