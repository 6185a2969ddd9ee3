package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// retryAfter is how long a task is left alone that cannot be taken here for
// reasons that a person has to mend.
const retryAfter = 30 * time.Second

// pickTask is the best task for an act that is not left to others, or why there is
// none.
func (s *supervisor) pickTask(ctx context.Context, b *flow.Board, act flow.Act) (flow.TaskID, *flow.Refusal) {
	at := s.boardTime(b)
	return b.Best(act, s.clone.Caller, at, func(t flow.Summary) bool {
		return s.leavesTask(b, t, at) || s.isBarred(ctx, b, act, t.ID)
	})
}

// leavesTask reports whether the supervisor leaves a task to others for now.
func (s *supervisor) leavesTask(b *flow.Board, t flow.Summary, at time.Time) bool {
	return time.Now().Before(s.avoided[t.ID]) || t.Coder != flow.Actor(s.id) && b.LeftUntil(t).After(at)
}

// avoidObstacle tells a lost race from an obstacle on this machine; a task behind an
// obstacle is left to others for a while.
func (s *supervisor) avoidObstacle(ctx context.Context, act flow.Act, id flow.TaskID, err error) (lookResult, error) {
	var refusal *flow.Refusal
	var obstacle *worktrees.Obstacle
	if !errors.As(err, &obstacle) && (!errors.As(err, &refusal) || refusal.Rule == flow.RuleStale) {
		return lookResult{}, err
	}
	b, _, readErr := s.clone.Store.Board(ctx)
	if readErr != nil {
		return lookResult{}, readErr
	}
	if b.Opens(act, id, s.clone.Caller, s.boardTime(b)) != nil {
		return boardMoved(), nil
	}
	return retryAt(s.avoidTask(id, err)), nil
}

// trustLook is how soon a task is looked at again whose verify nobody on this
// machine has allowed.
const trustLook = 5 * time.Second

// isBarred reports whether a task cannot be worked on here: it has had all the
// sessions that it may, or it cannot be coded on this machine, because its
// verify may not run here: whoever coded it could never submit, so nobody is
// paid for it before a person has allowed the command.
func (s *supervisor) isBarred(ctx context.Context, b *flow.Board, act flow.Act, id flow.TaskID) bool {
	if r := s.checkBounds(b, id); r != nil {
		s.avoided[id] = time.Now().Add(retryAfter)
		if s.rush.troubles.note(id, r) {
			s.say("%s waits: %s; %s", id, r.Reason, r.Hint)
		}
		return true
	}
	t := b.Task(id)
	if act != flow.ActClaim || t == nil || t.Verify == "" {
		return false
	}
	// Asked first: what a planner here wants to be run is allowed before it rests.
	planning := s.rush.idle.hasBusyPlanner()
	err := s.clone.Trust.Check(ctx, t.Verify)
	if err == nil {
		return false
	}
	s.avoided[id] = time.Now().Add(trustLook)
	if planning {
		s.unsureUntil = s.avoided[id]
	}
	if s.rush.troubles.note(id, err) {
		hint := ""
		var refusal *flow.Refusal
		if errors.As(err, &refusal) {
			hint = "; " + refusal.Hint
		}
		s.say("%s waits: %v%s", id, err, hint)
	}
	return true
}

// nextRetry is when the first of the tasks that are left to others is tried again,
// zero if there is none.
func (s *supervisor) nextRetry() (at time.Time) {
	for _, until := range s.avoided {
		if until.After(time.Now()) && (at.IsZero() || until.Before(at)) {
			at = until
		}
	}
	return at
}

// checkPrepareTrust refuses, before anything is claimed, a post_worktree command that
// nobody on this machine has allowed.
func (s *supervisor) checkPrepareTrust(ctx context.Context, b *flow.Board) error {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return nil
	}
	if err := s.clone.Trust.Check(ctx, command); err != nil {
		var refusal *flow.Refusal
		if errors.As(err, &refusal) {
			return &unfitError{"", fmt.Errorf("post_worktree is not trusted here: %w; %s", err, refusal.Hint)}
		}
		return err
	}
	return nil
}
