package supervise

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// planTriggers runs a planner's session on a checkout of integration. The planner may
// read the checkout, which is removed afterwards.
func (w *worker) planTriggers(ctx context.Context, a *assignment, tip board.ObjectID) (result, error) {
	w.say("%s plans: %s", w.id, triggersText(a.triggers))
	begun := time.Now()
	ending, b, err := w.runSession(ctx, a)
	if err != nil || ctx.Err() != nil {
		return finished(), err
	}
	if len(remainingTriggers(a.triggers, flow.Triggers(b))) > 0 {
		if cut, err := w.wasCutOff(a, begun); cut || err != nil {
			w.restUntil = time.Now().Add(w.rush.Limits.pauseCut(w.cuts))
			return finished(), err
		}
	}
	if ending.Trouble != nil {
		return w.pauseProvider(ctx, a, *ending.Trouble)
	}
	rest := remainingTriggers(a.triggers, flow.Triggers(b))
	if len(rest) == 0 {
		return finished(), nil
	}
	moves, err := w.countOwnMoves(ctx, tip)
	if err != nil {
		return finished(), err
	}
	if moves > 0 && len(rest) < len(a.triggers) {
		return finished(), nil // it made progress; the triggers that are left wake it again
	}
	well := ending.Outcome == provider.Ended
	failure := ""
	if moves == 0 || !well {
		failure = explainUnanswered("trigger", ending)
	}
	w.rush.triggers.noteSession(rest, moves > 0 && well, failure, w.rush.Limits)
	if moves > 0 && well {
		w.ask("%s leaves to a human: %s", w.id, triggersText(rest))
		return finished(), nil
	}
	w.say("%s: the plan is no further (%s): %s", w.id, ending.Text, triggersText(rest))
	return failed("the plan is no further"), nil
}

// countOwnMoves counts the agent's own moves after a state commit.
func (w *worker) countOwnMoves(ctx context.Context, since board.ObjectID) (int, error) {
	_, tip, err := w.clone.Store.Board(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	err = w.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == since {
			return false, nil
		}
		if e.Move.By == w.clone.By && e.Move.Act != board.ActSession {
			n++
		}
		return true, nil
	})
	return n, err
}
