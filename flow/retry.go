package flow

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// A Retry says that claims of a task ended without a submission, a question or a handoff,
// and when agents may claim it again.
type Retry struct {
	Count     int       `yaml:"count"` // since the task was last submitted or unblocked
	NotBefore time.Time `yaml:"not_before"`
	Error     string    `yaml:"error"` // of the last one
}

// A RetryPolicy says how often work is tried and how long agents wait in between.
type RetryPolicy struct {
	Attempts int      `yaml:"attempts,keep"` // claims; when so many have failed the task is BLOCKED; 0 is never
	Strategy Strategy `yaml:"strategy"`
	Base     Duration `yaml:"base"`
	Max      Duration `yaml:"max"`
}

// A Strategy says how waits grow with the number of failures. The zero value is none.
type Strategy uint8

// The strategies of waits.
const (
	Exponential Strategy = iota + 1 // each is twice as long as the one before
	Linear                          // each is longer by the first
	Fixed                           // all are equal
)

var strategyNames = names{"strategy of waits", "exponential", "linear", "fixed"}

// String is the strategy's name.
func (s Strategy) String() string { return strategyNames.name(uint8(s)) }

// MarshalText writes the name; the zero value is an error.
func (s Strategy) MarshalText() ([]byte, error) { return strategyNames.marshal(uint8(s)) }

// UnmarshalText accepts exactly the names of [Strategy.String].
func (s *Strategy) UnmarshalText(text []byte) error { return unmarshalName(s, text, strategyNames) }

// Wait is how long agents wait after so many failures.
func (r RetryPolicy) Wait(failures int) time.Duration {
	wait := time.Duration(r.Base)
	switch r.Strategy {
	case Exponential:
		for range min(failures, 64) - 1 {
			if wait *= 2; wait >= time.Duration(r.Max) {
				break
			}
		}
	case Linear:
		wait *= time.Duration(min(failures, 1<<20))
	}
	return min(wait, time.Duration(r.Max))
}

// check refuses a policy by which nothing is ever tried, or after years.
func (r RetryPolicy) check(hint string) *Refusal {
	if r != (RetryPolicy{}) && (r.Attempts < 0 || r.Attempts > MaxList || r.Strategy == 0 || r.Base < Duration(time.Second) || r.Max < r.Base || r.Max > MaxLease) {
		return refuse(RuleForm, hint, "retry.attempts is at most %d, and 1s <= retry.base <= retry.max <= %s", MaxList, MaxLease)
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
		t.judge(role, func(j *Judgement) {
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
	last := Retry{Count: 1, Error: text}
	if p.task.Retry != nil {
		last.Count += p.task.Retry.Count
	}
	last.NotBefore = p.move.At.Add(policy.Wait(last.Count))
	p.task.Retry = &last
	return policy.Attempts > 0 && last.Count >= policy.Attempts
}

// blockRetried blocks the task after the last claim that may fail.
func blockRetried(p *effect) {
	p.blockAtLimit(LimitRetries, "", strconv.Itoa(p.task.Retry.Count)+" claims ended without a result: what stands in the way?")
}

// hostOf is the host of an agent, "" if it is not known.
func hostOf(b *Board, by Actor) string {
	if a := b.Agent(by.Agent()); a != nil {
		return a.Host
	}
	return ""
}
