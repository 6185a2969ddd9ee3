package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
)

// An unfitError says that the agent cannot work on this machine at all, and
// what it holds meanwhile.
type unfitError struct {
	task flow.TaskID // "" if nothing is held
	err  error
}

func (u *unfitError) Error() string { return flow.Excerpt(u.err.Error(), 250) }

func (u *unfitError) Unwrap() error { return u.err }

// maxPrepare is how long a project's post_worktree command may take.
const maxPrepare = 10 * time.Minute

// mayPrepare refuses, before anything is claimed, a post_worktree command that
// nobody on this machine has allowed.
func (s *supervisor) mayPrepare(ctx context.Context, b *flow.Board) error {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return nil
	}
	if err := s.clone.Trusted(ctx, command); err != nil {
		var refusal *flow.Refusal
		if errors.As(err, &refusal) {
			return &unfitError{"", fmt.Errorf("post_worktree is not trusted here: %w; %s", err, refusal.Hint)}
		}
		return err
	}
	return nil
}

// trustLook is how soon a task is looked at again whose verify nobody on this
// machine has allowed.
const trustLook = 5 * time.Second

// barred reports whether a task cannot be worked on here: it has had all the
// sessions that it may, or it cannot be coded on this machine, because its
// verify may not run here: whoever coded it could never submit, so nobody is
// paid for it before a person has allowed the command.
func (s *supervisor) barred(ctx context.Context, b *flow.Board, act flow.Act, id flow.TaskID) bool {
	if r := s.allows(b, id); r != nil {
		s.avoided[id] = time.Now().Add(retryAfter)
		if s.rush.troubles.set(id, r) {
			s.say("%s waits: %s; %s", id, r.Reason, r.Hint)
		}
		return true
	}
	t := b.Task(id)
	if act != flow.ActClaim || t == nil || t.Verify == "" {
		return false
	}
	// Asked first: what a planner here wants to be run is allowed before it rests.
	planning := s.rush.roll.planning()
	err := s.clone.Trusted(ctx, t.Verify)
	if err == nil {
		return false
	}
	s.avoided[id] = time.Now().Add(trustLook)
	if planning {
		s.unsure = s.avoided[id]
	}
	if s.rush.troubles.set(id, err) {
		hint := ""
		var refusal *flow.Refusal
		if errors.As(err, &refusal) {
			hint = "; " + refusal.Hint
		}
		s.say("%s waits: %v%s", id, err, hint)
	}
	return true
}

// again is when the first of the tasks that are left to others is tried again,
// zero if there is none.
func (s *supervisor) again() (at time.Time) {
	for _, until := range s.avoided {
		if until.After(time.Now()) && (at.IsZero() || until.Before(at)) {
			at = until
		}
	}
	return at
}

// prepare runs the project's post_worktree command in a worktree that was
// just made or found. The command comes from the board: it sees no more than
// the agent does. failed says how the command ended that did not succeed: what
// it works on may be the agent's own.
func (s *supervisor) prepare(ctx context.Context, e *errand, b *flow.Board) (failed string, err error) {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return "", nil
	}
	path, args := proc.Shell(command)
	s.log.note("\n--- post_worktree on %s\n", e.subject())
	s.presence.doing(preparing, e.id(), "")
	env, err := s.environment(e)
	if err != nil {
		return "", err
	}
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: e.dir, Env: env, Output: s.log, Wall: maxPrepare})
	if err != nil {
		return "", &unfitError{e.id(), fmt.Errorf("post_worktree: %w", err)}
	}
	if ctx.Err() == nil && !r.Passed() {
		return fmt.Sprintf("post_worktree %s, exit %d: %s", r.Reason, r.Code, lastOf(r.Excerpt)), nil
	}
	return "", ctx.Err()
}

// environment is what commands see that run for the agent and are not its
// provider's: no secret of anybody's.
func (s *supervisor) environment(e *errand) ([]string, error) {
	programs, err := s.programs()
	return provider.Spawn{Agent: s.id, Generation: s.generation.Child(), Task: e.id(), Review: e.commit(), Dir: e.dir,
		Committer: s.rush.committer, Environ: s.rush.Environ, Common: s.clone.Repo.CommonDir(), Programs: programs}.Environment(nil), err
}

// programs is the folder that comes first on the PATH of what runs for the
// agent.
func (s *supervisor) programs() (string, error) {
	return provider.Programs(s.clone.Repo.CommonDir(), s.rush.Self, s.rush.Environ)
}

// degrade takes the agent out of work and gives back what it holds.
func (s *supervisor) degrade(ctx context.Context, u *unfitError) error {
	if u.task != "" {
		if _, err := s.clone.Release(ctx, u.task, false); err != nil {
			return err
		}
	}
	s.rush.troubles.set(u.task, errors.New(isDegraded(s.id)))
	_, err := s.clone.Make(ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: s.id, Reason: u.Error()})
	return err
}
