package supervise

import (
	"cmp"
	"context"
	"errors"
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

// startRoleWork does work of the agent's role, if the agent's program can be started.
func startRoleWork(ctx context.Context, s *supervisor, b *flow.Board) (lookResult, error) {
	wait, err := tryStart(ctx, s, b)
	if wait != nil || err != nil {
		return *cmp.Or(wait, &lookResult{}), err
	}
	done, err := s.doRoleWork(ctx, b)
	if unfit, ok := errors.AsType[*unfitError](err); ok {
		return noteUnfit(ctx, s, b, unfit)
	}
	return done, err
}

// tryStart looks for the agent's program before anything is claimed. wait is the result of
// the look if the program cannot be used now.
func tryStart(ctx context.Context, s *supervisor, b *flow.Board) (wait *lookResult, err error) {
	why := checkRow(b, s.id.Role(), s.provider)
	switch {
	case why != (Unfit{}):
	case s.starts.known:
		return nil, nil
	case time.Now().Before(s.starts.next):
		rest := restUntilStart(s, b)
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
	look, err := noteUnfit(ctx, s, b, &unfitError{"", errors.New(why.String()), why.mayStart})
	return &look, err
}

// noteUnfit gives back what the agent holds. It degrades the agent, or, if its program may be
// started later, has it tried again as failed work of the board is.
func noteUnfit(ctx context.Context, s *supervisor, b *flow.Board, u *unfitError) (lookResult, error) {
	policy := b.Settings().Config.Retry
	s.starts.failed++
	counted := backoff{failed: s.starts.failed, most: policy.Attempts}.counted()
	var look lookResult
	rests := !u.start || s.starts.failed == policy.Attempts
	if rests {
		look = assignmentDone(failed(u.Error()))
	}
	if rests && u.start {
		s.say("%s: its program could not be started (%v), %s", s.id, u, counted)
	}
	if u.task != "" {
		if _, err := s.clone.Release(ctx, u.task, flow.ReleaseMove{}); err != nil {
			return look, err
		}
	}
	if rests {
		s.rush.troubles.note(u.task, errors.New(restText(s.id)))
		_, err := s.clone.Make(ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: s.id, Reason: u.Error()})
		return look, err
	}
	wait := policy.Wait(s.starts.failed)
	s.starts.known, s.starts.next, s.starts.why = false, time.Now().Add(wait), u.Error()
	s.ask("%s: its program could not be started (%v), %s; again in %s", s.id, u, counted, flow.Duration(wait))
	return restUntilStart(s, b), nil
}

// restUntilStart is the result of a look while the program waits to be tried again. It
// keeps a rush from its end if there is anything to do.
func restUntilStart(s *supervisor, b *flow.Board) lookResult {
	look := lookResult{doing: retrying, why: s.starts.why}
	if len(b.Triggers(s.rush.goals()...)) > 0 || slices.ContainsFunc(b.Tasks(), func(t flow.Summary) bool { return !t.Status.Final() && s.rush.serves(b, t.Goal) }) {
		look.due = s.starts.next
	} else {
		look.retry = s.starts.next
	}
	return look
}
