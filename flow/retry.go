package flow

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// checkRetryPolicy refuses a policy by which nothing is ever tried, or after years.
func checkRetryPolicy(r board.RetryPolicy, hint string) *Refusal {
	if r != (board.RetryPolicy{}) && (r.Attempts < 0 || r.Attempts > board.MaxList || r.Strategy == 0 || r.Base < board.Duration(time.Second) || r.Max < r.Base || r.Max > MaxLease) {
		return refuse(RuleForm, hint, "retry.attempts is at most %d, and 1s <= retry.base <= retry.max <= %s", board.MaxList, MaxLease)
	}
	return nil
}

// fails reports whether an outcome of a session is a failure of the work: it came to
// nothing, and neither a provider, a budget nor a person ended it.
func fails(outcome string) bool {
	return slices.Contains([]string{"nothing", "failed", "hung", "lost", "loop"}, outcome)
}

// checkBackoff refuses an agent that comes back too soon after a failure.
func checkBackoff(p *play, notBefore time.Time, what string) *Refusal {
	t := p.task
	if p.move.By.IsHuman() || !p.move.At.Before(notBefore) {
		return nil
	}
	return refuse(RuleBackoff, "git liza show "+string(t.ID), "%s of %s failed, agents try again from %s on", what, t.ID, notBefore.Format(time.RFC3339))
}

// endWork ends the claim or the review that a session was for, if its agent still holds
// it, and reports whether it did, and whether that was a claim that failed.
func (s *SessionMove) endWork(p *effect) (ended, failed bool) {
	t, by := p.task, p.move.By
	if c := t.Claim; c != nil && holdsSubject(p.play) && c.Since.Equal(s.Of) {
		failed = fails(s.Outcome) && !by.IsHuman() && !hasOutage(p.board, hostOf(p.board, by))
		t.Status = c.From
		p.free(by)
		t.Claim, t.Intent = nil, nil
		if failed && countRetry(p, cmp.Or(s.Error, s.Outcome)) {
			blockRetried(p)
		}
		return true, failed
	}
	role, held := t.HeldReview(by)
	if held == nil || !held.Since.Equal(s.Of) {
		return false, false
	}
	endReview(p, t, role)
	if fails(s.Outcome) && !by.IsHuman() {
		t.Judge(role, func(j *board.Judgement) {
			j.NoVerdicts++
			j.NotBefore = p.move.At.Add(p.board.Settings().Config.Retry.Wait(j.NoVerdicts))
			j.Error = cmp.Or(s.Error, s.Outcome)
		})
	}
	return true, false
}

// countRetry counts a claim that failed, and reports whether it was the last one.
func countRetry(p *effect, text string) bool {
	policy := p.board.Settings().Config.Retry
	last := board.Retry{Count: 1, Error: text}
	if p.task.Retry != nil {
		last.Count += p.task.Retry.Count
	}
	last.NotBefore = p.move.At.Add(policy.Wait(last.Count))
	p.task.Retry = &last
	return policy.Attempts > 0 && last.Count >= policy.Attempts
}

// blockRetried blocks the task after the last claim that may fail.
func blockRetried(p *effect) {
	p.blockAtLimit(board.LimitRetries, "", strconv.Itoa(p.task.Retry.Count)+" claims ended without a result: what stands in the way?")
}

// hostOf is the host of an agent, "" if it is not known.
func hostOf(b *board.Board, by board.Actor) string {
	if a := b.Agent(by.Agent()); a != nil {
		return a.Host
	}
	return ""
}
