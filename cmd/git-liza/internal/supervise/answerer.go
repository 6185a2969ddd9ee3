package supervise

import (
	"context"
	"errors"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// An answerer takes questions for the agent of a supervisor.
type answerer struct{ *supervisor }

// answerNext takes the next question for agents of the role and has the worker look for
// the answer. Each question is looked for once at a time, whoever supervises, and as
// often as the limit on missing verdicts says.
func (s answerer) answerNext(ctx context.Context, b *flow.Board) (lookResult, error) {
	if s.provider.RunsGates() {
		return lookResult{}, nil // it knows nothing but exit codes
	}
	if time.Now().Before(s.worker.restUntil) {
		return dueAt(s.worker.restUntil), nil
	}
	at := s.boardTime(b)
	q, next := flow.NextQuestion(b, s.clone.Caller, at, func(q *flow.Question) bool { return s.leavesQuestion(ctx, b, q) })
	if q == nil {
		if next.IsZero() {
			return lookResult{}, nil
		}
		return dueAt(time.Now().Add(next.Sub(at))), nil
	}
	if q.Lease != nil && q.Lease.By == s.clone.By {
		// A session of an agent of this id, which was killed with its supervisor, had it.
		return boardMoved(), s.giveQuestionBack(ctx, q.ID, true)
	}
	a, err := s.takeQuestion(ctx, q.ID)
	if a == nil {
		return boardMoved(), err
	}
	s.rush.idle.markBusy(s.supervisor)
	var r result
	err = s.clone.Checkouts.Trees.Private(ctx, b.Settings().Integration.Tip, func(dir string) error {
		a.dir = dir
		r, err = answerSession{s.worker}.run(ctx, a)
		return err
	})
	if _, ok := errors.AsType[*worktrees.CheckoutError](err); ok {
		s.sayOnce("%s does not look for an answer: %v", s.id, err)
		return retryAt(s.avoidTask(a.taskID(), err)), s.giveQuestionBack(ctx, q.ID, false)
	}
	return assignmentDone(r), err
}

// leavesQuestion reports whether the supervisor leaves a question to others: its goal is
// not served here, or the budget or the bounds allow no session on its task.
func (s answerer) leavesQuestion(ctx context.Context, b *flow.Board, q *flow.Question) bool {
	t := b.Task(q.Task)
	return t == nil || !s.rush.serves(b, t.Goal) || time.Now().Before(s.avoided[t.ID]) ||
		b.Budget(t.Goal, t.ID, s.worker.recorder.unrecordedSpending(ctx, b, 0)...) != nil || s.isBarred(ctx, b, flow.ActTake, t.ID)
}

// takeQuestion takes a question for the lease of a review. It returns no assignment if
// another agent was faster, or somebody answered it.
func (s answerer) takeQuestion(ctx context.Context, id flow.RecordID) (*assignment, error) {
	r, err := s.clone.Move(ctx, flow.ActTake, "", func(b *flow.Board) (flow.Detail, error) {
		return &flow.TakeMove{Question: id, Lease: b.Settings().Config.ReviewLease}, nil
	})
	if flow.IsRefused(err) && !flow.IsRefused(err, flow.RuleStale) || isSetback(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	q := questionOn(r.After, id)
	t := r.After.Task(q.Task)
	return &assignment{role: s.slot.Role, question: q, asker: t, lease: q.Lease.Lease, failure: s.worker.unanswered[id]}, nil
}

// questionOn is a question as a board has it, nil if there is none of that id.
func questionOn(b *flow.Board, id flow.RecordID) *flow.Question {
	q, _ := b.Load(flow.Key{Folder: flow.Questions, ID: string(id)}).(*flow.Question)
	return q
}
