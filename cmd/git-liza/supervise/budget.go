package supervise

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/flow"
)

// affordable refuses one more session on an errand whose budget is spent.
func (e *errand) affordable(b *flow.Board) *flow.Refusal {
	if r := b.Budget(e.id()); r != nil || !e.spent {
		return r
	}
	// What the last session used could not be recorded.
	return &flow.Refusal{Rule: flow.RuleBudget, Reason: "the last session was ended because it used up what was left", Hint: "git liza usage"}
}

// overspent ends an errand that nothing more may be spent on: a human has to
// say whether it is worth more.
func (s *supervisor) overspent(ctx context.Context, b *flow.Board, e *errand, r *flow.Refusal) (failed string, err error) {
	if e.role == flow.Coder {
		limit := b.Settings().Config.TextLimit
		_, err = s.clone.Make(ctx, flow.ActBlock, e.id(), &flow.BlockMove{
			Reason: flow.Excerpt("budget: "+r.Reason, limit), Questions: []string{flow.Excerpt("May it cost more? "+r.Hint, limit)}})
		return r.Reason, err
	}
	s.say("%s: %s ended: %s; %s", s.id, e.subject(), r.Reason, r.Hint)
	if e.task == nil {
		return r.Reason, nil
	}
	_, err = s.clone.Release(ctx, e.id(), false)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		err = nil // somebody else has taken it since
	}
	return r.Reason, err
}
