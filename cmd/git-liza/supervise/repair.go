package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// gone reports whether a worktree's folder, or what makes it a worktree, is
// missing: git would take the main work tree for it.
func gone(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err != nil
}

// repair makes a coder's worktree again that went away, as repeating the claim
// does, and lets the next prompt say so. failed says why the errand ends
// instead.
func (s *supervisor) repair(ctx context.Context, e *errand) (failed string, err error) {
	got, r, err := s.clone.Claim(ctx, e.id(), 0)
	var refusal *flow.Refusal
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil:
	case errors.As(err, &refusal), setback(err):
		return "it was lost", nil // the board says the rest
	case errors.As(err, &obstacle) && r.After != nil:
		return s.obstructed(ctx, r.After, e.id(), obstacle)
	default:
		_, err = s.unmade(ctx, e.id(), err)
		return "its worktree could not be made again", err
	}
	s.lease = leaseOf(r.After.Task(e.id()))
	e.dir = got.Worktree
	s.say("%s: the worktree of %s was gone and was made again", s.id, e.subject())
	if e.failure != "" {
		e.failure += "\n"
	}
	e.failure += "Before this session the worktree was gone and was made again; what was neither committed nor staged is lost."
	unready, err := s.prepare(ctx, e, r.After)
	if unready != "" {
		e.failure += "\n" + unready
	}
	return "", err
}

// unmade gives a task back whose worktree cannot be made, for reasons that lie
// in the commit or in this machine, and leaves it to others for a while: the
// agent is not to blame, and other tasks may go.
func (s *supervisor) unmade(ctx context.Context, id flow.TaskID, cause error) (turn, error) {
	if ctx.Err() != nil || unanswered(cause) || fatal(cause) {
		return turn{}, cause
	}
	if _, err := s.clone.Release(ctx, id, false); err != nil {
		return turn{}, errors.Join(cause, err)
	}
	return s.shun(id, cause), nil
}

// unjudged ends a review that cannot even begin as one without a verdict. The
// reason stands on the board, since no session of it does.
func (s *supervisor) unjudged(ctx context.Context, t *flow.Task, cause error) (turn, error) {
	if ctx.Err() != nil || unanswered(cause) || fatal(cause) {
		return turn{}, cause
	}
	why := flow.Excerpt(s.rush.mask.String(cause.Error()), 250)
	details := map[string]string{"commit": string(t.Submission.Commit), "reason": why}
	if _, err := s.clone.Make(ctx, flow.ActAnomaly, "", &flow.AnomalyMove{Type: flow.ReviewDeadlock, About: t.ID, Details: details}); err != nil {
		return turn{}, errors.Join(cause, err)
	}
	failed, err := s.noVerdict(ctx, t.ID, "review of "+string(t.ID), why)
	return turn{moved: true, piece: true, failed: failed}, err
}

// obstructed blocks a claimed task that has no worktree to be worked on in: the
// agent is not to blame, and another one would find the same.
func (s *supervisor) obstructed(ctx context.Context, b *flow.Board, id flow.TaskID, o *worktrees.Obstacle) (failed string, err error) {
	question := "May what is in the way of its worktree go?"
	if o.Hint != "" {
		question += " " + o.Hint
	}
	limit := b.Settings().Config.TextLimit
	_, err = s.clone.Make(ctx, flow.ActBlock, id, &flow.BlockMove{
		Reason: flow.Excerpt("worktree_obstacle: "+o.Error(), limit), Questions: []string{flow.Excerpt(question, limit)}})
	return o.Error(), err
}
