package supervise

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// retryAfter is how long the supervisor avoids a task that it cannot take here until a
// person mends something.
const retryAfter = 30 * time.Second

// pickTask returns the best task for an act among those that the supervisor does not
// avoid, or why there is none.
func (s *supervisor) pickTask(ctx context.Context, b *board.Board, act board.Act) (board.TaskID, *flow.Refusal) {
	at := s.boardTime(b)
	var paused *flow.Refusal
	if act == board.ActClaim {
		paused = work.CheckPause(ctx, s.clone.Repo)
	}
	return flow.Best(b, act, s.clone.Caller, at, func(t board.Summary) bool {
		if !s.rush.serves(b, t.Goal) || time.Now().Before(s.avoided[t.ID]) || t.Coder != board.Actor(s.id) && b.LeftUntil(t).After(at) {
			return true
		}
		if paused != nil { // the rush has said it
			s.avoided[t.ID] = time.Now().Add(switchInterval)
			s.rush.troubles.note(t.ID, paused)
			return true
		}
		return s.isBarred(ctx, b, act, t.ID)
	})
}

// avoidObstacle distinguishes a lost race from an obstacle on this machine. It avoids a
// task behind an obstacle for a while, and has the supervisor look for others.
func (s *supervisor) avoidObstacle(ctx context.Context, act board.Act, id board.TaskID, err error) (lookResult, error) {
	var obstacle *worktrees.Obstacle
	if !errors.As(err, &obstacle) && (!flow.IsRefused(err) || flow.IsRefused(err, flow.RuleStale)) {
		return lookResult{}, err
	}
	b, _, readErr := s.clone.Store.Board(ctx)
	if readErr != nil {
		return lookResult{}, readErr
	}
	if flow.Opens(b, act, id, s.clone.Caller, s.boardTime(b)) != nil {
		return boardMoved(), nil
	}
	s.avoidTask(id, err)
	return dueAt(time.Now()), nil // there may be others
}

// trustInterval is how long the supervisor avoids a task whose verify command the user has
// not allowed on this machine.
const trustInterval = 5 * time.Second

// checkCommands refuses the act of an agent that needs commands of the board which may
// not run on this machine.
func (s *supervisor) checkCommands(ctx context.Context, b *board.Board, act board.Act, t *board.Task) error {
	gates, err := neededGates(s.provider, b, act, t)
	if err != nil || len(gates) == 0 {
		return err
	}
	return s.clone.Trust.CheckGates(ctx, gates)
}

// neededGates are the commands of the board that the act of an agent needs: a coder could
// never submit without the task's verify and the gates at a submission, and the provider
// gates judges by nothing else.
func neededGates(p provider.Provider, b *board.Board, act board.Act, t *board.Task) (gates []board.Gate, err error) {
	switch {
	case t == nil:
	case act == board.ActClaim:
		gates = b.Settings().Config.GatesAt(board.AtSubmit)
		if t.Verify != "" {
			gates = append(gates, board.Gate{Command: t.Verify})
		}
	case act == board.ActReview && p.RunsGates():
		if gates = work.SubmissionGates(b, t); len(gates) == 0 {
			return nil, work.NoGates(t)
		}
	}
	return gates, nil
}

// isBarred reports whether the agent cannot work on a task here: its sessions have used
// up the bounds, or commands that it needs may not run on this machine. No session is
// paid for before the user allows them.
func (s *supervisor) isBarred(ctx context.Context, b *board.Board, act board.Act, id board.TaskID) bool {
	if r := s.checkBounds(b, id); r != nil {
		s.avoided[id] = time.Now().Add(retryAfter)
		if s.rush.troubles.note(id, r) {
			s.ask("%s waits: %s; %s", id, r.Reason, r.Hint)
		}
		return true
	}
	// Ask before Trust.Check: a planner's supervisor allows the planner's commands
	// before it gets idle.
	planning := s.rush.idle.hasBusyPlanner()
	err := s.checkCommands(ctx, b, act, b.Task(id))
	if err == nil {
		return false
	}
	s.avoided[id] = time.Now().Add(trustInterval)
	if planning {
		s.unsureUntil = s.avoided[id]
	}
	if s.rush.troubles.note(id, err) {
		s.ask("%s", strings.TrimSuffix(fmt.Sprintf("%s waits: %v; %s", id, err, hintOf(err)), "; "))
	}
	return true
}

// nextRetry returns when the first of the avoided tasks is tried again, zero if there
// is none.
func (s *supervisor) nextRetry() (at time.Time) {
	for _, until := range s.avoided {
		if until.After(time.Now()) {
			at = earlier(at, until)
		}
	}
	return at
}

// checkPrepareTrust refuses a post_worktree command that the user has not allowed on
// this machine, before anything is claimed.
func (s *supervisor) checkPrepareTrust(ctx context.Context, b *board.Board) error {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return nil
	}
	if err := s.clone.Trust.Check(ctx, command); err != nil {
		if refusal, ok := errors.AsType[*flow.Refusal](err); ok {
			return &unfitError{"", fmt.Errorf("post_worktree is not trusted here: %w; %s", err, refusal.Hint), false}
		}
		return err
	}
	return nil
}
