package supervise

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// codeTask claims the best task, or takes the one that the agent holds, and has the
// worker code it.
func (s *supervisor) codeTask(ctx context.Context, b *board.Board) (lookResult, error) {
	id, err := s.chooseTask(ctx, b)
	if err != nil {
		return lookResult{}, err
	}
	if id != "" && b.Agent(s.id).Task == "" {
		if wait, err := trySubmitGates(ctx, s, b); wait != nil || err != nil {
			return *cmp.Or(wait, &lookResult{}), err
		}
	}
	if id == "" {
		look := retryAt(s.nextRetry())
		if s.unsureUntil.After(time.Now()) {
			look.due = s.unsureUntil
		}
		return look, nil
	}
	if err := s.checkPrepareTrust(ctx, b); err != nil {
		return lookResult{}, err
	}
	a, look, err := s.claimTask(ctx, id)
	if a == nil {
		return look, err
	}
	if err := s.worker.workplace.prepareTask(ctx, a, b); err != nil {
		return lookResult{}, err
	}
	r, err := s.worker.codeTask(ctx, a)
	return assignmentDone(r), err
}

// chooseTask returns the task that the agent holds, else the best one to claim, else
// "".
func (s *supervisor) chooseTask(ctx context.Context, b *board.Board) (board.TaskID, error) {
	best, none := s.pickTask(ctx, b, board.ActClaim)
	if own := b.Agent(s.id).Task; own != "" {
		if !s.ownLeaseOver(b, own) {
			return own, nil
		}
		// A lease that ended still belongs to the agent until another one claims the
		// task.
		_, err := s.clone.Renew(ctx, own, flow.RenewMove{})
		return own, err
	}
	if none != nil {
		return "", nil
	}
	return best, nil
}

// claimTask claims a task and makes its worktree. If it returns no assignment, the look
// at the board ends with the result.
func (s *supervisor) claimTask(ctx context.Context, id board.TaskID) (*assignment, lookResult, error) {
	got, r, err := s.clone.Claim(ctx, id, 0)
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil:
	case isSetback(err):
		return nil, boardMoved(), nil
	case r.After == nil:
		look, err := s.avoidObstacle(ctx, board.ActClaim, id, err)
		return nil, look, err
	case errors.As(err, &obstacle) && s.worker.workplace.isAstray(ctx, r.After.Task(got.Task)):
		got.Worktree = s.clone.Checkouts.Folder(r.After.Task(got.Task))
	case errors.As(err, &obstacle):
		r, err := s.worker.workplace.blockObstructed(ctx, r.After, got.Task, obstacle)
		return nil, assignmentDone(r), err
	case isUnanswered(err):
		return nil, lookResult{}, err // what is won is kept; the next look repeats the claim
	default:
		retry, err := s.worker.workplace.giveBackTask(ctx, got.Task, err)
		return nil, retryAt(retry), err
	}
	t := r.After.Task(got.Task)
	s.rush.troubles.drop(t.ID)
	return &assignment{role: s.slot.Role, capacity: board.Does, task: t, dir: got.Worktree, lease: leaseOf(t, s.clone.By)}, lookResult{}, nil
}

// ownLeaseOver reports whether the lease of the agent's own claim has ended.
func (s *supervisor) ownLeaseOver(b *board.Board, id board.TaskID) bool {
	t := b.Task(id)
	return t != nil && t.Claim != nil && t.Claim.By == board.Actor(s.id) && !t.Claim.Lease.After(s.boardTime(b))
}

// isSetback reports whether an error says that the move was made on another board than
// the one it was meant for.
func isSetback(err error) bool {
	var s *work.Setback
	return errors.As(err, &s)
}
