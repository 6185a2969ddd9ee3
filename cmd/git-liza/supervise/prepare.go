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

func (u *unfitError) Error() string { return u.err.Error() }

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

// prepare runs the project's post_worktree command in a worktree that was
// just made or found. The command comes from the board: it sees no more than
// the agent does.
func (s *supervisor) prepare(ctx context.Context, e *errand, b *flow.Board) error {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return nil
	}
	path, args := proc.Shell(command)
	env := provider.Spawn{Agent: s.id, Generation: s.generation.Child(), Task: e.id(), Review: e.commit(), Dir: e.dir,
		Committer: s.rush.committer, Environ: s.rush.Environ, Common: s.clone.Repo.CommonDir(), Self: s.rush.Self}
	s.log.note("\n--- post_worktree on %s\n", e.subject())
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: e.dir, Env: env.Environment(nil), Output: s.log, Wall: maxPrepare})
	if err != nil {
		return &unfitError{e.id(), fmt.Errorf("post_worktree: %w", err)}
	}
	if ctx.Err() == nil && !r.Passed() {
		return &unfitError{e.id(), fmt.Errorf("post_worktree %s, exit %d: %s", r.Reason, r.Code, lastOf(r.Excerpt))}
	}
	return ctx.Err()
}

// degrade takes the agent out of work and gives back what it holds.
func (s *supervisor) degrade(ctx context.Context, u *unfitError) error {
	if u.task != "" {
		if _, err := s.clone.Release(ctx, u.task, false); err != nil {
			return err
		}
	}
	reason := flow.Excerpt(u.Error(), 250)
	s.rush.troubles.set(u.task, reason)
	_, err := s.clone.Make(ctx, flow.ActDegrade, "", &flow.DegradeMove{Agent: s.id, Reason: reason})
	return err
}
