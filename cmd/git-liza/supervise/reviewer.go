package supervise

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// review takes the best review and gives the agent one session for a verdict.
// Without one the review counts as ended without verdict, and the agent pauses
// before the next, so that a broken program does not use up a task's reviews
// in a moment.
func (s *supervisor) review(ctx context.Context, b *flow.Board) (turn, error) {
	if time.Now().Before(s.resume) {
		return turn{due: s.resume}, nil
	}
	id, why := s.pick(ctx, b, flow.ActReview)
	if t := b.Task(b.Agent(s.id).Review); t != nil && t.Review != nil && t.Review.Lease.After(s.at(b)) {
		id, why = t.ID, nil
	}
	if why != nil {
		return turn{retry: s.again()}, nil
	}
	if err := s.mayPrepare(ctx, b); err != nil {
		return turn{}, err
	}
	got, r, err := s.clone.Review(ctx, id, 0)
	if setback(err) {
		return turn{moved: true}, nil
	}
	if err != nil && r.After == nil {
		return s.avoid(ctx, flow.ActReview, id, err)
	}
	var obstacle *worktrees.Obstacle
	if errors.As(err, &obstacle) {
		if _, err := s.clone.Release(ctx, got.Task, false); err != nil {
			return turn{}, err
		}
		return s.avoid(ctx, flow.ActReview, got.Task, err)
	}
	if unanswered(err) {
		return turn{}, err // what is won is kept; the next look repeats the review
	}
	if err != nil {
		return s.unjudged(ctx, r.After.Task(got.Task), err)
	}
	t := r.After.Task(got.Task)
	s.lease = leaseOf(t)
	s.rush.troubles.clear(t.ID)
	e := &errand{role: flow.CodeReviewer, task: t, dir: got.Worktree, failure: s.failures[t.ID]}
	failed, err := s.prepare(ctx, e, b)
	if err != nil {
		return turn{}, err
	}
	if failed != "" {
		// Coders here run the same on what integration has, so it is the submission's.
		return s.unjudged(ctx, t, errors.New(failed))
	}
	if err := s.clone.Seal(ctx, t, true); err != nil {
		return s.unjudged(ctx, t, err)
	}
	failed, err = s.judge(ctx, e)
	return turn{moved: true, piece: true, failed: failed}, err
}

// judge is the session of a review and what follows from it.
func (s *supervisor) judge(ctx context.Context, e *errand) (failed string, err error) {
	begun := time.Now()
	ending, b, err := s.session(ctx, e)
	if err != nil {
		return "", err
	}
	st := e.stage(b, s.id, s.generation)
	if ctx.Err() != nil || st == halted {
		return "", nil // whoever leaves gives back what is held
	}
	if st == fenced {
		return "", s.replaced()
	}
	switch st {
	case done:
		delete(s.failures, e.id())
		s.shaky = 0
		return "", nil
	case lost:
		s.say("%s: the %s is no longer its own; the session was ended", s.id, e.subject())
		return "it was lost", nil
	}
	if cut, err := s.cutOff(e, begun); cut || err != nil {
		s.resume = time.Now().Add(s.rush.Limits.pause(s.cuts))
		return "", err // it could not report; the review goes on when the remote answers
	}
	if ending.Trouble != nil {
		_, err := s.yield(ctx, e, *ending.Trouble)
		return ending.Trouble.Text, err
	}
	if e.spent {
		return s.overspent(ctx, b, e, s.affordable(ctx, e, b))
	}
	what, why := "The program gave no verdict ("+ending.Text+").", ending.Text
	var touched *flow.Refusal
	if err := s.clone.Untouched(ctx, b.Task(e.id())); errors.As(err, &touched) {
		what, why = "The review counts for nothing: "+touched.Reason+".", touched.Reason
	} else if err != nil {
		return "", err
	}
	s.failures[e.id()] = s.explain(ctx, e, ending, what)
	return s.noVerdict(ctx, e.id(), e.subject(), why)
}

// noVerdict ends the agent's review without a verdict, and lets it pause.
func (s *supervisor) noVerdict(ctx context.Context, id flow.TaskID, subject, why string) (failed string, err error) {
	pause := s.rush.Limits.pause(s.shaky)
	s.shaky++
	s.resume = time.Now().Add(pause)
	s.say("%s: the %s ended without a verdict (%s); the next one in %s", s.id, subject, why, pause)
	_, err = s.clone.Release(ctx, id, true)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		err = nil // somebody else has ended it since
	}
	return "the review ended without a verdict", err
}
