package supervise

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// reviewTask takes the best review, or the one that the agent holds, and has the worker
// review it. After a session without a verdict the agent pauses, so that a broken
// program does not use up a task's reviews in a moment.
func (s *supervisor) reviewTask(ctx context.Context, b *board.Board) (lookResult, error) {
	if time.Now().Before(s.worker.restUntil) {
		return dueAt(s.worker.restUntil), nil
	}
	id := s.chooseReview(ctx, b)
	if id == "" {
		return retryAt(s.nextRetry()), nil
	}
	if err := s.checkPrepareTrust(ctx, b); err != nil {
		return lookResult{}, err
	}
	s.clone.Seals.Loads = s.worker.provider.Loads
	a, look, err := s.takeReview(ctx, id)
	if a == nil {
		return look, err
	}
	unready, err := s.worker.workplace.runPostWorktree(ctx, a, b)
	if err != nil {
		return lookResult{}, err
	}
	if unready != "" {
		if here := s.clone.Integration.CheckSetUp(ctx, b); here != nil {
			return lookResult{}, &unfitError{a.taskID(), here, false}
		}
		// It works on integration, so the submission is the cause.
		return s.endUnbegunReview(ctx, a.task, errors.New(unready))
	}
	if a.seal, err = s.clone.Seals.Seal(ctx, a.task, a.role, true); err != nil {
		return s.endUnbegunReview(ctx, a.task, err)
	}
	r, err := s.worker.reviewSubmission(ctx, a)
	return assignmentDone(r), err
}

// chooseReview returns the review that the agent holds, else the best one, else "".
func (s *supervisor) chooseReview(ctx context.Context, b *board.Board) board.TaskID {
	best, none := s.pickTask(ctx, b, board.ActReview)
	if t := b.Task(b.Agent(s.id).Review); t != nil && leaseOf(t, board.Actor(s.id)).After(s.boardTime(b)) {
		return t.ID
	}
	if none != nil {
		return ""
	}
	return best
}

// takeReview takes a review and makes its checkout. If it returns no assignment, the
// look at the board ends with the result.
func (s *supervisor) takeReview(ctx context.Context, id board.TaskID) (*assignment, lookResult, error) {
	got, r, err := s.clone.Review(ctx, id, flow.ReviewMove{})
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil:
	case isSetback(err):
		return nil, boardMoved(), nil
	case r.After == nil:
		look, err := s.avoidObstacle(ctx, board.ActReview, id, err)
		return nil, look, err
	case errors.As(err, &obstacle):
		if _, err := s.clone.Release(ctx, got.Task, flow.ReleaseMove{}); err != nil {
			return nil, lookResult{}, err
		}
		look, err := s.avoidObstacle(ctx, board.ActReview, got.Task, err)
		return nil, look, err
	case isUnanswered(err):
		return nil, lookResult{}, err // a review that was won is kept; the next look repeats the move
	default:
		look, err := s.endUnbegunReview(ctx, r.After.Task(got.Task), err)
		return nil, look, err
	}
	t := r.After.Task(got.Task)
	s.rush.troubles.drop(t.ID)
	return &assignment{role: got.Role, capacity: board.Judges, task: t, dir: got.Worktree, lease: got.Lease, failure: cmp.Or(s.worker.failures[t.ID], t.Judgement(got.Role).Error)}, lookResult{}, nil
}

// endUnbegunReview ends a review that cannot begin as one without a verdict. The reason
// goes on the board, since no session record has it.
func (s *supervisor) endUnbegunReview(ctx context.Context, t *board.Task, cause error) (lookResult, error) {
	if ctx.Err() != nil || isUnanswered(cause) || isFatal(cause) {
		return lookResult{}, cause
	}
	why := board.Excerpt(s.rush.mask.String(cause.Error()), 250)
	details := map[string]string{"commit": string(t.Submission.Commit), "reason": why}
	if _, err := s.clone.Make(ctx, board.ActAnomaly, "", &flow.AnomalyMove{Type: board.ReviewDeadlock, About: t.ID, Details: details}); err != nil {
		return lookResult{}, errors.Join(cause, err)
	}
	r, err := s.worker.endWithoutVerdict(ctx, t.ID, "review of "+string(t.ID), why)
	return assignmentDone(r), err
}
