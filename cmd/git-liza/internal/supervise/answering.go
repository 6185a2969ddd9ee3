package supervise

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
)

// An answerSession is the session of a worker on a question.
type answerSession struct{ *worker }

// run runs the session that looks for the answer of a question, and gives the
// question back if it has found none.
func (w answerSession) run(ctx context.Context, a *assignment) (result, error) {
	id := a.question.ID
	w.say("%s: %s asks: %s", w.id, a.question.From, flow.Excerpt(a.question.Text, 200))
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
	w.unanswered[id] = explainUnanswered(ending)
	if err := w.giveQuestionBack(ctx, id, true); err != nil {
		return result{}, err
	}
	return w.tellUnanswered(ctx, a, ending)
}

// explainUnanswered returns what the next prompt says about a session without an answer.
func explainUnanswered(ending provider.Ending) string {
	text := "The question is not answered (" + ending.Text + ")." + ending.Complaint()
	if tail := lastOutput(ending.Excerpt); tail != "" {
		text += "\nIts last output:\n" + tail
	}
	return text
}

// tellUnanswered says that a session has found no answer, and what becomes of the question.
func (w answerSession) tellUnanswered(ctx context.Context, a *assignment, ending provider.Ending) (result, error) {
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
func (reg *registration) giveQuestionBack(ctx context.Context, id flow.RecordID, missed bool) error {
	_, err := reg.clone.Make(ctx, flow.ActTake, "", &flow.TakeMove{Question: id, Free: true, Missed: missed})
	if flow.IsRefused(err) {
		return nil
	}
	return err
}

// answerStage reads from the board how far the answer is.
func (a *assignment) answerStage(b *flow.Board, me flow.Actor) stage {
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
func withoutWriting(row *flow.RoleRow) *flow.RoleRow {
	only := *row
	only.Tools = slices.DeleteFunc(slices.Clone(row.Tools), func(t flow.Tool) bool { return t == flow.ToolWrite })
	return &only
}
