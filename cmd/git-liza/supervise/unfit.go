package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

// An unfitError says that the agent cannot work on this machine at all, and what it
// still holds.
type unfitError struct {
	task flow.TaskID // "" if nothing is held
	err  error
}

func (u *unfitError) Error() string { return flow.Excerpt(u.err.Error(), 250) }

func (u *unfitError) Unwrap() error { return u.err }

// degradeAgent marks the agent as degraded, so that it gets no work, and gives back
// what it holds.
func (s *supervisor) degradeAgent(ctx context.Context, u *unfitError) error {
	if u.task != "" {
		if _, err := s.clone.Release(ctx, u.task, flow.ReleaseMove{}); err != nil {
			return err
		}
	}
	s.rush.troubles.note(u.task, errors.New(degradedText(s.id)))
	_, err := s.clone.Make(ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: s.id, Reason: u.Error()})
	return err
}

// checkProgram degrades the agent if its provider's program is missing or too old, or
// cannot be held to what the agent's role may do. It runs before anything is claimed.
func (s *supervisor) checkProgram(ctx context.Context) error {
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return err
	}
	why := cmp.Or(checkRow(b, s.id.Role(), s.provider), s.rush.fitness.checkProgram(ctx, s.provider, s.rush.Environ))
	if why == (Unfit{}) || ctx.Err() != nil {
		return nil
	}
	return s.degradeAgent(ctx, &unfitError{"", fmt.Errorf("%s", why)})
}
