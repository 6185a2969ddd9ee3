package supervise

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// answerNext takes the next question for agents of the role and has the worker look for
// the answer. Each question is looked for once at a time, whoever supervises, and as
// often as the limit on missing verdicts says.
func answerNext(ctx context.Context, s *supervisor, b *board.Board) (lookResult, error) {
	if s.provider.RunsGates() {
		return lookResult{}, nil // it knows nothing but exit codes
	}
	if time.Now().Before(s.worker.restUntil) {
		return dueAt(s.worker.restUntil), nil
	}
	at := s.boardTime(b)
	q, next := flow.NextQuestion(b, s.clone.Caller, at, func(q *board.Question) bool { return leavesQuestion(ctx, s, b, q) })
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
	a, err := takeQuestion(ctx, s, q.ID)
	if a == nil {
		return boardMoved(), err
	}
	s.rush.idle.markBusy(s)
	var r result
	err = s.clone.Checkouts.Trees.Private(ctx, b.Settings().Integration.Tip, func(dir string) error {
		a.dir = dir
		r, err = lookForAnswer(ctx, s.worker, a)
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
func leavesQuestion(ctx context.Context, s *supervisor, b *board.Board, q *board.Question) bool {
	t := b.Task(q.Task)
	return t == nil || !s.rush.serves(b, t.Goal) || time.Now().Before(s.avoided[t.ID]) ||
		flow.CheckBudget(b, t.Goal, t.ID, s.worker.recorder.unrecordedSpending(ctx, b, 0)...) != nil || s.isBarred(ctx, b, board.ActTake, t.ID)
}

// takeQuestion takes a question for the lease of a review. It returns no assignment if
// another agent was faster, or somebody answered it.
func takeQuestion(ctx context.Context, s *supervisor, id board.RecordID) (*assignment, error) {
	r, err := s.clone.Move(ctx, board.ActTake, "", func(b *board.Board) (flow.Detail, error) {
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
func questionOn(b *board.Board, id board.RecordID) *board.Question {
	q, _ := b.Load(board.Key{Folder: board.Questions, ID: string(id)}).(*board.Question)
	return q
}

// lookForAnswer runs the session that looks for the answer of a question, and gives the
// question back if it has found none.
func lookForAnswer(ctx context.Context, w *worker, a *assignment) (result, error) {
	id := a.question.ID
	w.say("%s: %s asks: %s", w.id, a.question.From, board.Excerpt(a.question.Text, 200))
	begun := time.Now()
	ending, b, err := w.runSession(ctx, a)
	if ctx.Err() != nil {
		return finished(), nil // the question is free when the supervisor leaves
	}
	if err != nil {
		return result{}, errors.Join(err, w.giveQuestionBack(ctx, id, false))
	}
	switch st := a.stageOn(b, w.id, w.generation); st {
	case fenced:
		return result{}, w.replacedError()
	case done:
		delete(w.unanswered, id)
		return finished(), nil
	case lost:
		w.say("%s: the %s is no longer its own; the session was ended", w.id, a.subject())
		return finished(), nil
	}
	cut, err := w.wasCutOff(a, begun)
	if cut {
		w.restUntil = time.Now().Add(w.rush.Limits.pauseCut(w.cuts))
	}
	if cut || err != nil || ending.Trouble != nil || a.outOfBudget {
		err = errors.Join(err, w.giveQuestionBack(ctx, id, false))
	}
	switch {
	case cut || err != nil:
		return finished(), err
	case ending.Trouble != nil:
		return w.pauseProvider(ctx, a, *ending.Trouble)
	case a.outOfBudget:
		return w.endOverBudget(ctx, b, a, w.checkBudget(ctx, a, b))
	}
	w.unanswered[id] = explainUnanswered("question", ending)
	if err := w.giveQuestionBack(ctx, id, true); err != nil {
		return result{}, err
	}
	return tellUnanswered(ctx, w, a, ending)
}

// explainUnanswered returns what the next prompt says about a session that left what it was for
// unanswered.
func explainUnanswered(what string, ending provider.Ending) string {
	return "The " + what + " is not answered (" + ending.Text + ")." + ending.Complaint() + lastWordsOf(ending)
}

// tellUnanswered says that a session has found no answer, and what becomes of the question.
func tellUnanswered(ctx context.Context, w *worker, a *assignment, ending provider.Ending) (result, error) {
	b, _, err := w.clone.Store.Board(ctx)
	if err != nil {
		return result{}, err
	}
	w.say("%s: the %s ended without an answer (%s); what it said: git liza session show %s", w.id, a.subject(), ending.Text, w.id)
	if q := questionOn(b, a.question.ID); q != nil && q.IsOpen() && q.IsLeft(b, w.boardTime(b)) {
		w.ask("%s is left to a person: git liza answer %s", q.ID, q.ID)
	}
	return failed("the question is not answered"), nil
}

// giveQuestionBack gives back what the agent has taken. missed says that it was looked
// for in vain, which counts. Somebody else may have answered it since.
func (reg *registration) giveQuestionBack(ctx context.Context, id board.RecordID, missed bool) error {
	_, err := reg.clone.Make(ctx, board.ActTake, "", &flow.TakeMove{Question: id, Free: true, Missed: missed})
	if flow.IsRefused(err) {
		return nil
	}
	return err
}

// answerStage reads from the board how far the answer is.
func (a *assignment) answerStage(b *board.Board, me board.Actor) stage {
	q := questionOn(b, a.question.ID)
	switch {
	case q == nil:
		return lost
	case !q.IsOpen() && q.By == me && q.Answer != "":
		return done
	case !q.IsOpen() || q.Lease == nil || q.Lease.By != me || !q.Lease.Since.Equal(a.question.Lease.Since):
		return lost
	}
	return held
}

// withoutWriting is a role's row for a session that changes no file.
func withoutWriting(row *board.RoleRow) *board.RoleRow {
	only := *row
	only.Tools = slices.DeleteFunc(slices.Clone(row.Tools), func(t board.Tool) bool { return t == board.ToolWrite })
	return &only
}
