package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A supervisor gives one agent its work, one assignment after the other. It looks at
// the board, decides what comes next, takes it and leaves the sessions to its worker.
// It is one goroutine with a clone of its own.
type supervisor struct {
	*registration
	slot        Slot
	worker      *worker
	release     func(stays bool) // marks the registration as one without a supervisor
	stays       bool             // it could not be ended
	unsureUntil time.Time        // until when a planner here may still have a command allowed
}

// newSupervisor is the supervisor of a slot whose role has that row.
func newSupervisor(r *Rush, slot Slot, row *board.RoleRow) *supervisor {
	reg := &registration{rush: r, capacity: row.Capacity, row: row, provider: slot.Provider, avoided: map[board.TaskID]time.Time{}}
	reg.presence = &presence{reg: reg}
	return &supervisor{registration: reg, slot: slot, release: func(bool) {},
		worker: &worker{registration: reg, recorder: &recorder{registration: reg}, workplace: &workplace{reg},
			failures: map[board.TaskID]string{}, priors: map[board.TaskID]priorSession{}, unanswered: map[board.RecordID]string{}}}
}

// A lookResult is the result of one look at the board.
type lookResult struct {
	tip    board.ObjectID // of the board, for steps that are not repeated on the same one
	moved  bool           // something was done: look again at once
	ended  bool           // what was done was an assignment of the agent
	failed string         // why the assignment did not end as it should
	due    time.Time      // when the board allows something by itself; zero if never
	retry  time.Time      // when something that needs a person is tried again, or a deadline is over; zero if never

	doing string // what the agent does if nothing was done, "" for waiting
	why   string
}

// boardMoved is the result of a look that led to a move, or that lost a race.
func boardMoved() lookResult { return lookResult{moved: true} }

// assignmentDone is the result of a look that gave the agent an assignment.
func assignmentDone(r result) lookResult {
	return lookResult{moved: true, ended: true, failed: r.failed}
}

// retryAt is the result of a look that found only what a person has to mend; zero means
// never.
func retryAt(at time.Time) lookResult { return lookResult{retry: at} }

// dueAt is the result of a look that found nothing to do before a time; zero means
// never.
func dueAt(at time.Time) lookResult { return lookResult{due: at} }

// lookBy brings the time of the next look forward.
func (t *lookResult) lookBy(at time.Time) { t.due = earlier(t.due, at) }

// wakeBy has the supervisor look again at a time, without keeping a rush until idle
// from its end.
func (t *lookResult) wakeBy(at time.Time) { t.retry = earlier(t.retry, at) }

// earlier is the earlier one of two times, of which zero is never.
func earlier(x, y time.Time) time.Time {
	if x.IsZero() || !y.IsZero() && y.Before(x) {
		return y
	}
	return x
}

// maxTroubles is how many looks in a row may end with an error that may go away, such
// as a locked ref.
const maxTroubles = 8

// run runs the supervisor. It returns nil when ctx is done, the board is STOPPED, the
// slot's time without work is over or its one assignment has ended.
func (s *supervisor) run(ctx context.Context) error {
	defer func() { s.release(s.stays) }()
	if entered, err := s.enterBoard(ctx); err != nil || !entered {
		return err
	}
	defer s.leaveBoard(ctx)
	var err error
	if s.log, err = openLog(s.rush.Clone.Repo.CommonDir(), s.id); err != nil {
		return err
	}
	defer s.log.close()
	s.presence.begin()
	return s.serveSlot(ctx)
}

// serveSlot looks at the board and does what is to be done, until the slot's work ends.
func (s *supervisor) serveSlot(ctx context.Context) error {
	idle := time.Now()
	troubles := 0
	for {
		tip, changed := s.rush.view.Now()
		t, stopped, err := s.lookAtBoard(ctx)
		switch {
		case stopped || ctx.Err() != nil:
			return nil
		case s.rush.noteOffline(err):
			t.lookBy(time.Now().Add(max(s.rush.Limits.pauseAfter(err, 0), work.QuickLook)))
		case troubles < maxTroubles && s.restoreBoard(ctx, err):
			troubles++
			continue
		case err != nil && (isFatal(err) || troubles == maxTroubles):
			return err
		case gitstore.IsDeclined(err):
			s.sayOnce("%s: %v", s.id, err)
			s.rush.idle.markBusy(s)
			s.presence.setDoing(waiting, "", err.Error())
			_ = git.Wait(ctx, s.rush.Limits.pauseAfter(err, troubles)) // whatever happens on the board
			troubles++
			continue
		case err != nil:
			s.sayOnce("%s: %v", s.id, err)
			t.lookBy(time.Now().Add(s.rush.Limits.pause(troubles)))
			troubles++
		default:
			troubles = 0
		}
		if t.ended && s.slot.Once {
			return failedAssignment(s.id, t.failed)
		}
		if t.moved && err == nil {
			idle = time.Now()
			s.rush.idle.markBusy(s)
			continue
		}
		if !s.waitForBoard(ctx, t, tip, changed, idle) {
			return nil
		}
	}
}

// failedAssignment is the error of a slot whose one assignment did not end as it
// should, nil if it did.
func failedAssignment(id board.AgentID, why string) error {
	if why == "" {
		return nil
	}
	return fmt.Errorf("the work of %s did not end as it should: %s", id, why)
}

// isFatal reports whether waiting cannot mend an error.
func isFatal(err error) bool {
	var malformed *document.Error
	var breach *gitstore.Breach
	return flow.IsRefused(err) || errors.As(err, &malformed) || errors.As(err, &breach) ||
		errors.Is(err, gitstore.ErrNoBoard) || errors.Is(err, gitstore.ErrDiverged) || errors.Is(err, gitstore.ErrStateLost) || errors.Is(err, gitstore.ErrClock) || errors.Is(err, git.ErrNoIdentity)
}

// waitForBoard sleeps until the board changes or something is due. It is false when ctx
// is done or the slot's time without work is over.
func (s *supervisor) waitForBoard(ctx context.Context, t lookResult, tip board.ObjectID, changed <-chan struct{}, idle time.Time) bool {
	s.presence.setDoing(cmp.Or(t.doing, waiting), "", t.why)
	if t.due.IsZero() {
		s.rush.idle.setTip(s, tip)
	} else {
		s.rush.idle.markBusy(s)
	}
	next := earlier(t.due, t.retry)
	var wake, over <-chan time.Time
	if !next.IsZero() {
		timer := time.NewTimer(max(time.Until(next), work.QuickLook))
		defer timer.Stop()
		wake = timer.C
	}
	if s.slot.MaxWait > 0 {
		timer := time.NewTimer(time.Until(idle.Add(s.slot.MaxWait)))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-wake:
	case <-over:
		s.say("%s: nothing to do for %s", s.id, s.slot.MaxWait)
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// boardSteps are what a look does for the board before it does work of the agent's role, each if
// those before did nothing. They add to what the look has found so far.
var boardSteps = []func(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error{
	mergeApproved, tripBreaker, addChangelog, passLevel, passPhase, importPlan, makeDue, completeGoal,
}

// lookAtBoard reads the board once and does what is to be done.
func (s *supervisor) lookAtBoard(ctx context.Context) (lookResult, bool, error) {
	b, tip, err := s.clone.Store.Board(ctx)
	if err != nil {
		return lookResult{}, false, err
	}
	control := b.Settings().Control.State
	if control.IsStopped() {
		return lookResult{}, true, nil
	}
	a := b.Agent(s.id)
	if a == nil || a.Generation != s.generation {
		return lookResult{}, false, s.replacedError()
	}
	if !control.IsRunning() {
		return lookResult{why: "the board is " + control.String()}, false, nil
	}
	if s.rush.link.isDown() {
		return lookResult{due: time.Now().Add(max(s.rush.Limits.pauseAfter(err, 0), work.QuickLook)), why: s.rush.link.remote + " does not answer"}, false, nil
	}
	if len(s.worker.recorder.pending) > 0 {
		return boardMoved(), false, s.worker.recorder.recordPending(ctx)
	}
	tasks := b.Tasks()
	if err := b.Err(); err != nil {
		return lookResult{}, false, err
	}
	t := lookResult{tip: tip}
	for _, step := range boardSteps {
		if err := step(ctx, s, b, &t); t.moved || err != nil {
			return t, false, err
		}
	}
	now := s.boardTime(b)
	for _, next := range []time.Time{b.Next(s.slot.Role, now), s.backoffEnd(b, tasks, now)} {
		if !next.IsZero() {
			t.lookBy(time.Now().Add(next.Sub(now)))
		}
	}
	if a.Degraded != "" {
		t.doing, t.why = resting, a.Degraded
		return t, false, b.Err()
	}
	if p := s.currentPause(); p != nil {
		return s.waitPaused(*p, t), false, nil
	}
	done, err := startRoleWork(ctx, s, b)
	done.due = earlier(t.due, done.due)
	if !done.moved && err == nil {
		s.rush.tellHolders(ctx, s.clone, b, tasks)
	}
	done.wakeBy(t.retry)
	return done, false, errors.Join(err, b.Err())
}

// doRoleWork does the next work for agents of the role. An agent that holds nothing looks
// for questions first: their askers wait.
func (s *supervisor) doRoleWork(ctx context.Context, b *board.Board) (lookResult, error) {
	var asked lookResult
	if a := b.Agent(s.id); a.Task == "" && a.Review == "" {
		var err error
		if asked, err = answerNext(ctx, s, b); asked.moved || err != nil {
			return asked, err
		}
	}
	done, err := s.doCapacityWork(ctx, b)
	done.lookBy(asked.due)
	done.wakeBy(asked.retry)
	return done, err
}

func (s *supervisor) doCapacityWork(ctx context.Context, b *board.Board) (lookResult, error) {
	switch s.capacity {
	case board.Plans:
		return s.planBoard(ctx, b)
	case board.Does:
		return s.codeTask(ctx, b)
	}
	return s.reviewTask(ctx, b)
}
