package supervise

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// reviewSubmission runs the session of a review and decides what follows.
func (w *worker) reviewSubmission(ctx context.Context, a *assignment) (result, error) {
	begun := time.Now()
	folder := a.taskID().ReviewFolder(a.role, a.task.Submission.Number)
	leave, err := w.clone.Checkouts.StandIn(folder)
	if err != nil {
		return result{}, err
	}
	w.rush.seals.put(folder, a.seal)
	ending, b, err := w.runSession(ctx, a)
	w.workplace.checkSeal(context.WithoutCancel(ctx), a, folder)
	leave()
	if err != nil {
		return result{}, err
	}
	// The session is over, whatever ended it: nobody stands in its checkout any more.
	if err := w.clone.LeaveReview(context.WithoutCancel(ctx), a.taskID(), a.role, a.task.Submission.Number); err != nil {
		w.say("%s: the worktree of the %s is not cleared away: %v; git liza worktree prune", w.id, a.subject(), err)
	}
	if r, over, err := w.followUp(ctx, a, b, ending, begun); over || err != nil {
		return r, err
	}
	if text := w.changedText(a, b); text != "" {
		w.failures[a.taskID()] = "The last session read " + text + " before it changed: read it again."
		w.say("%s: %s has changed during the %s, which begins again", w.id, text, a.subject())
		return finished(), nil
	}
	what, why, err := w.workplace.unjudgedText(ctx, a, ending, b.Task(a.taskID()))
	if err != nil {
		return result{}, err
	}
	w.failures[a.taskID()] = w.explainFailure(ctx, a, ending, what)
	return w.endWithoutVerdict(ctx, a.taskID(), a.subject(), why)
}

// checkSeal puts doubt on a submission on which the session gave a verdict, if the seal is not
// as its supervisor made it any more: it is what the verdict was held against. Supervisors of
// the rush merge nothing meanwhile, see [sealsHold]. While the review goes on, the next
// session is held against the right one.
func (p *workplace) checkSeal(ctx context.Context, a *assignment, folder string) {
	if !p.clone.Seals.Holds(folder, a.seal) {
		b, _, err := p.clone.Store.Board(ctx)
		switch {
		case err != nil:
		case a.reviewerStage(b.Task(a.taskID()), board.Actor(p.id)) == done:
			p.ask("%s: the seal of the %s was changed below its session, which may have judged something else: git liza inbox", p.id, a.subject())
			err = p.recordAnomaly(ctx, a, board.SealChanged, map[string]string{"agent": string(p.id), "seal": folder})
		case a.reviewerStage(b.Task(a.taskID()), board.Actor(p.id)) == held:
			err = p.clone.Seals.Put(folder, a.seal)
		}
		if err != nil {
			p.ask("%s: the seal of the %s was changed, so this rush does not merge it: %v", p.id, a.subject(), err)
			return
		}
	}
	p.rush.seals.drop(folder)
}

// changedText is a text that has changed since the agent began to read it for its
// review, "" if there is none.
func (w *worker) changedText(a *assignment, b *board.Board) string {
	t := b.Task(a.taskID())
	if t == nil || t.Judgement(a.role).Review == nil {
		return ""
	}
	if changed := t.ChangedTexts(b, t.Judgement(a.role).Review.Texts); len(changed) > 0 {
		return changed[0].String()
	}
	return ""
}

// explainLost follows up on an assignment that somebody else's move has ended. It is no
// failure if that was a verdict.
func (w *worker) explainLost(a *assignment, b *board.Board) result {
	if by := a.endedRound(b.Task(a.taskID())); by != "" {
		w.say("%s: the %s has ended, because %s; the session was ended", w.id, a.subject(), by)
		return finished()
	}
	what := a.subject()
	if a.capacity == board.Judges {
		what = "the " + what
	}
	w.say("%s: %s is no longer its own; the session was ended", w.id, what)
	return failed("it was lost")
}

// rest has the agent pause after a review without a verdict, whichever it takes next.
func (w *worker) rest() time.Duration {
	pause := w.rush.Limits.pause(w.strikes)
	w.strikes++
	w.restUntil = time.Now().Add(pause)
	return pause
}

// endWithoutVerdict ends the agent's review without a verdict, and sets a pause before
// its next session.
func (w *worker) endWithoutVerdict(ctx context.Context, id board.TaskID, subject, why string) (result, error) {
	pause := w.rest()
	w.say("%s: the %s ended without a verdict (%s); the next one in %s", w.id, subject, why, pause)
	return failed("the review ended without a verdict"), w.giveBack(ctx, id, flow.ReleaseMove{NoVerdict: true})
}
