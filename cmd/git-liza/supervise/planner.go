package supervise

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/worktrees"
)

// plans remembers which triggers planners were woken for, so that one that a
// planner could not answer does not wake it for ever.
type plans struct {
	mu   sync.Mutex
	seen map[string]*wake
}

// A wake is what became of a trigger so far.
type wake struct {
	tries   int
	left    bool // a planner has looked and left it to a human
	next    time.Time
	failure string
}

// key names a trigger in the state in which it was seen: a task that changed
// since is a new trigger.
func key(t flow.Trigger) string {
	since := t.Since.Format(time.RFC3339)
	if t.Reason == "no_tasks" {
		since = ""
	}
	return t.Reason + " " + string(t.Task) + " " + string(t.Record) + " " + since
}

// open are the triggers for which a planner should be woken now, the failure
// of the last session on one of them, and when the next becomes open if none
// is.
func (p *plans) open(list []flow.Trigger, limit int) (due []flow.Trigger, failure string, next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range list {
		w := p.seen[key(t)]
		switch {
		case w == nil:
			due = append(due, t)
		case w.left || w.tries >= limit:
		case time.Now().Before(w.next):
			if next.IsZero() || w.next.Before(next) {
				next = w.next
			}
		default:
			due = append(due, t)
			if failure == "" {
				failure = w.failure
			}
		}
	}
	return due, failure, next
}

// note records what a session brought the triggers that are still there.
func (p *plans) note(list []flow.Trigger, left bool, failure string, l Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range list {
		w := p.seen[key(t)]
		if w == nil {
			w = &wake{}
			p.seen[key(t)] = w
		}
		w.left, w.failure = left, failure
		w.next = time.Now().Add(l.pause(w.tries))
		w.tries++
	}
}

// plan wakes the planner if the board has a reason to. One planner of a clone
// works at a time: two would answer the same trigger twice.
func (s *supervisor) plan(ctx context.Context, b *flow.Board) (turn, error) {
	if time.Now().Before(s.resume) {
		return turn{due: s.resume}, nil
	}
	if due, _, next := s.rush.plans.open(b.Triggers(), s.rush.Limits.Plans); len(due) == 0 {
		return turn{due: next}, nil
	}
	release, err := tryLock(s.clone.Repo.CommonDir(), "planner")
	if err != nil {
		return turn{}, err
	}
	if release == nil {
		return turn{due: time.Now().Add(busyRetry)}, nil
	}
	defer release()
	// Whoever had the lock may have answered.
	b, tip, err := s.clone.Store.Board(ctx)
	if err != nil {
		return turn{}, err
	}
	due, failure, _ := s.rush.plans.open(b.Triggers(), s.rush.Limits.Plans)
	if len(due) == 0 {
		return turn{moved: true}, nil
	}
	if r := b.Budget("", s.beside(ctx, b, 0)...); r != nil {
		s.sayOnce("%s does not plan: %s; %s", s.id, r.Reason, r.Hint)
		return turn{}, nil
	}
	if r := s.exhausted(b); r != nil {
		s.sayOnce("%s does not plan: %s; %s", s.id, r.Reason, r.Hint)
		return turn{}, nil
	}
	if alone, err := s.alone(tip); alone || err != nil {
		if alone {
			s.sayOnce("%s does not plan: planners have had %d sessions in a row while nobody else made a move; look at git liza log, and say how to go on: git liza note", s.id, s.rush.Limits.Alone)
		}
		return turn{}, err
	}
	s.rush.roll.busy(s)
	e := &errand{role: flow.Planner, triggers: due, failure: failure}
	failed := ""
	err = s.clone.Trees.Private(ctx, b.Settings().Integration.Tip, func(dir string) error {
		e.dir = dir
		failed, err = s.planIn(ctx, e, tip)
		return err
	})
	var unmade *worktrees.CheckoutError
	if errors.As(err, &unmade) {
		s.sayOnce("%s does not plan: %v", s.id, err)
		return turn{retry: time.Now().Add(retryAfter)}, nil
	}
	return turn{moved: true, piece: true, failed: failed}, err
}

// alone reports whether planners keep waking themselves: what they do makes the
// triggers for the next session.
func (s *supervisor) alone(tip flow.ObjectID) (bool, error) {
	n := 0
	err := s.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		by := e.Move.By.Agent()
		switch {
		case e.Move.Act == flow.ActRegister, e.Move.Act == flow.ActUnregister:
		case by == "" || by.Role() != flow.Planner:
			return false, nil
		case e.Move.Act == flow.ActSession:
			n++
		}
		return n < s.rush.Limits.Alone, nil
	})
	return n >= s.rush.Limits.Alone, err
}

// planIn is a planner's session on a checkout of integration, which it may
// read and which is thrown away.
func (s *supervisor) planIn(ctx context.Context, e *errand, tip flow.ObjectID) (failed string, err error) {
	s.say("%s plans: %s", s.id, woken(e.triggers))
	begun := time.Now()
	ending, b, err := s.session(ctx, e)
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	if len(remaining(e.triggers, b.Triggers())) > 0 {
		if cut, err := s.cutOff(e, begun); cut || err != nil {
			s.resume = time.Now().Add(s.rush.Limits.pause(s.cuts))
			return "", err
		}
	}
	if ending.Trouble != nil {
		_, err := s.yield(ctx, e, *ending.Trouble)
		return ending.Trouble.Text, err
	}
	rest := remaining(e.triggers, b.Triggers())
	if len(rest) == 0 {
		return "", nil
	}
	moves, err := s.movesSince(ctx, tip)
	if err != nil {
		return "", err
	}
	if moves > 0 && len(rest) < len(e.triggers) {
		return "", nil // it got on; what is left wakes it again
	}
	well := ending.Outcome == provider.Ended
	failure := ""
	if moves == 0 || !well {
		failure = s.complain(ending)
	}
	s.rush.plans.note(rest, moves > 0 && well, failure, s.rush.Limits)
	if moves > 0 && well {
		s.say("%s leaves to a human: %s", s.id, woken(rest))
		return "", nil
	}
	s.say("%s: the plan is no further (%s): %s", s.id, ending.Text, woken(rest))
	return "the plan is no further", nil
}

func (s *supervisor) complain(ending provider.Ending) string {
	text := "The trigger is not answered (" + ending.Text + ")." + ending.Complaint()
	if tail := lastOf(ending.Excerpt); tail != "" {
		text += "\nIts last output:\n" + tail
	}
	return text
}

// woken lists triggers for people.
func woken(list []flow.Trigger) string {
	text := ""
	for i, t := range list {
		if i > 0 {
			text += ", "
		}
		text += t.Reason
		switch {
		case t.Task != "":
			text += " " + string(t.Task)
		case t.Record != "":
			text += " " + string(t.Record)
		}
	}
	return text
}

// remaining are the triggers that are still on the board as they were.
func remaining(before, now []flow.Trigger) []flow.Trigger {
	there := map[string]bool{}
	for _, t := range now {
		there[key(t)] = true
	}
	var rest []flow.Trigger
	for _, t := range before {
		if there[key(t)] {
			rest = append(rest, t)
		}
	}
	return rest
}

// movesSince counts the agent's own moves after a state commit.
func (s *supervisor) movesSince(ctx context.Context, since flow.ObjectID) (int, error) {
	_, tip, err := s.clone.Store.Board(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	err = s.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == since {
			return false, nil
		}
		if e.Move.By == s.clone.By && e.Move.Act != flow.ActSession {
			n++
		}
		return true, nil
	})
	return n, err
}
