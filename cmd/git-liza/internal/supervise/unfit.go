package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// An unfitError says that the agent cannot work on this machine, and what it still holds.
type unfitError struct {
	task  flow.TaskID // "" if nothing is held
	err   error
	start bool // its program could not be started, which may be another time
}

func (u *unfitError) Error() string { return flow.Excerpt(u.err.Error(), 250) }

func (u *unfitError) Unwrap() error { return u.err }

// starts counts how often in a row the program of an agent could not be started.
type starts struct {
	failed int
	next   time.Time // before which it is not tried again
	why    string    // "" if the last one succeeded
	known  bool      // it was looked for and found
}

// starting is a supervisor that looks whether its agent's program can be started.
type starting struct{ *supervisor }

// doRoleWork does work of the agent's role, if the agent's program can be started.
func (s starting) doRoleWork(ctx context.Context, b *flow.Board) (lookResult, error) {
	wait, err := s.tryStart(ctx, b)
	if wait != nil || err != nil {
		return *cmp.Or(wait, &lookResult{}), err
	}
	done, err := s.supervisor.doRoleWork(ctx, b)
	if unfit, ok := errors.AsType[*unfitError](err); ok {
		return s.noteUnfit(ctx, b, unfit)
	}
	return done, err
}

// tryStart looks for the agent's program before anything is claimed. wait is the result of
// the look if the program cannot be used now.
func (s starting) tryStart(ctx context.Context, b *flow.Board) (wait *lookResult, err error) {
	why := checkRow(b, s.id.Role(), s.provider)
	switch {
	case why != (Unfit{}):
	case s.starts.known:
		return nil, nil
	case time.Now().Before(s.starts.next):
		rest := s.restUntilStart(b)
		return &rest, nil
	default:
		why = checkProgram(ctx, s.rush, s.provider)
	}
	if ctx.Err() != nil {
		return &lookResult{}, nil
	}
	if why == (Unfit{}) {
		s.starts.known = true
		return nil, nil
	}
	look, err := s.noteUnfit(ctx, b, &unfitError{"", errors.New(why.String()), why.mayStart})
	return &look, err
}

// noteUnfit gives back what the agent holds. It degrades the agent, or, if its program may be
// started later, has it tried again as failed work of the board is.
func (s starting) noteUnfit(ctx context.Context, b *flow.Board, u *unfitError) (lookResult, error) {
	policy := b.Settings().Config.Retry
	s.starts.failed++
	counted := fmt.Sprintf("%d failed", s.starts.failed)
	if policy.Attempts > 0 {
		counted = fmt.Sprintf("%d of %d failed", s.starts.failed, policy.Attempts)
	}
	if !u.start || s.starts.failed == policy.Attempts {
		if u.start {
			s.say("%s: its program could not be started (%v), %s", s.id, u, counted)
		}
		return assignmentDone(failed(u.Error())), s.degradeAgent(ctx, u)
	}
	if err := s.giveBack(ctx, u.task); err != nil {
		return lookResult{}, err
	}
	wait := policy.Wait(s.starts.failed)
	s.starts.known, s.starts.next, s.starts.why = false, time.Now().Add(wait), u.Error()
	s.ask("%s: its program could not be started (%v), %s; again in %s", s.id, u, counted, flow.Duration(wait))
	return s.restUntilStart(b), nil
}

// restUntilStart is the result of a look while the program waits to be tried again. It
// keeps a rush from its end if there is anything to do.
func (s starting) restUntilStart(b *flow.Board) lookResult {
	look := lookResult{doing: retrying, why: s.starts.why}
	if len(b.Triggers(s.rush.goals()...)) > 0 || slices.ContainsFunc(b.Tasks(), func(t flow.Summary) bool { return !t.Status.Final() && s.rush.serves(b, t.Goal) }) {
		look.due = s.starts.next
	} else {
		look.retry = s.starts.next
	}
	return look
}

func (s starting) giveBack(ctx context.Context, task flow.TaskID) error {
	if task == "" {
		return nil
	}
	_, err := s.clone.Release(ctx, task, flow.ReleaseMove{})
	return err
}

// degradeAgent lets the agent rest, so that it gets no work, and gives back
// what it holds.
func (s starting) degradeAgent(ctx context.Context, u *unfitError) error {
	if err := s.giveBack(ctx, u.task); err != nil {
		return err
	}
	s.rush.troubles.note(u.task, errors.New(restText(s.id)))
	_, err := s.clone.Make(ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: s.id, Reason: u.Error()})
	return err
}
