package flow

import (
	"slices"
	"time"
)

// ClaimMove takes a task for a coder. Which attempt it begins or continues
// follows from the board: the same coder goes on where it stopped, another
// one starts afresh, unless the work failed only in merging or was kept on
// purpose.
type ClaimMove struct {
	Lease Duration `yaml:"lease"`
	Base  ObjectID `yaml:"base"`  // the board's integration tip where the attempt is fresh, "" otherwise
	Saved *Save    `yaml:"saved"` // what this clone kept of the attempt that is replaced
}

// claimable is the guard of claims; it also answers why a task waits.
func claimable(p *play) *Refusal {
	t, by, at := p.task, p.move.By, p.move.At
	s := p.Settings()
	if s.Control.State != Running {
		return refuse(RuleControl, "git liza resume --reason R", "the board is %s (%s), nothing new is claimed", s.Control.State, s.Control.Reason)
	}
	if r := p.idle(by, t.ID); r != nil {
		return r
	}
	if p.from == Claimed {
		free := t.Claim.Lease.Add(time.Duration(s.Config.Grace))
		if t.Claim.By == by {
			return refuse(RuleLease, "git liza show "+string(t.ID), "%s holds %s already", by, t.ID)
		}
		if at.Before(free) {
			return refuse(RuleLease, "git liza show "+string(t.ID), "%s is held by %s until %s, and may be reclaimed from %s on",
				t.ID, t.Claim.By, t.Claim.Lease.Format(time.RFC3339), free.Format(time.RFC3339))
		}
	}
	for _, id := range t.DependsOn {
		if d := p.Task(id); d == nil || d.Status != Merged {
			return refuse(RuleDependencies, "git liza show "+string(id), "%s needs %s, which is not merged yet", t.ID, id)
		}
	}
	if r := p.reserved(); r != nil {
		return r
	}
	return p.unowned()
}

// idle refuses an agent that is degraded or has a claimed task.
func (p *play) idle(by Actor, but TaskID) *Refusal {
	held := TaskID("")
	if id := by.Agent(); id != "" {
		if a := p.Agent(id); a != nil {
			if a.Degraded != "" {
				return refuse(RuleDegraded, "git liza register "+string(id), "%s is degraded (%s) and gets no work until it is registered anew", id, a.Degraded)
			}
			held = a.Task
		}
	} else {
		for _, s := range p.Tasks() {
			if s.Status == Claimed && s.Coder == by {
				held = s.ID
			}
		}
	}
	if held != "" && held != but {
		return refuse(RuleOneClaim, "git liza show "+string(held), "%s already holds %s, and nobody holds two tasks", by, held)
	}
	return nil
}

// reserved keeps a failed merge for its coder, who knows the work best, for
// one lease duration as long as that agent is there.
func (p *play) reserved() *Refusal {
	t := p.task
	if p.from != IntegrationFailed || t.Attempt == nil || t.Attempt.Coder == p.move.By {
		return nil
	}
	until := t.Integration.At.Add(time.Duration(p.Settings().Config.Lease))
	there := t.Attempt.Coder.IsHuman() || p.Agent(t.Attempt.Coder.Agent()) != nil
	if there && p.move.At.Before(until) {
		return refuse(RuleReserved, "git liza show "+string(t.ID), "%s failed to merge and waits for its coder %s until %s",
			t.ID, t.Attempt.Coder, until.Format(time.RFC3339))
	}
	return nil
}

// unowned refuses a task whose paths overlap those of another task in work,
// unless one of the two depends on the other, directly or not.
func (p *play) unowned() *Refusal {
	t := p.task
	if len(t.Owns) == 0 {
		return nil
	}
	for _, other := range p.Tasks() {
		if other.ID == t.ID || !other.occupies() {
			continue
		}
		mine, theirs, overlap := overlapping(t.Owns, other.Owns)
		if overlap && !p.precedes(t.ID, other.ID) && !p.precedes(other.ID, t.ID) {
			return refuse(RuleOwnership, "git liza show "+string(other.ID), "%s owns %s, which overlaps %s of %s (%s)",
				t.ID, mine, theirs, other.ID, other.Status)
		}
	}
	return nil
}

// occupies reports whether the task's owned paths are taken at the moment.
func (s Summary) occupies() bool {
	return in(Claimed, ReadyForReview, Rejected, Approved, IntegrationFailed).has(s.Status) ||
		s.Status == Blocked && s.Limit == LimitNoVerdicts
}

// resumes reports whether the claimer continues the task's current attempt,
// keeps its saved work in a new folder, or else starts afresh.
func (p *play) resumes() (same, carries bool) {
	a := p.task.Attempt
	if a == nil {
		return false, false
	}
	return a.Coder == p.move.By, p.from == IntegrationFailed || a.Keep
}

func (c *ClaimMove) check(p *play) *Refusal {
	if c.Lease < Duration(time.Second) {
		return refuse(RuleForm, "git liza help claim", "a claim needs a lease")
	}
	if r := p.checkSave(c.Saved); r != nil {
		return r
	}
	same, carries := p.resumes()
	tip := p.Settings().Integration.Tip
	if fresh := !same && !carries; fresh != (c.Base != "") || fresh && c.Base != tip {
		return refuse(RuleTip, "git liza claim "+string(p.task.ID)+" --as "+string(p.move.By), "the claim is based on %q, a fresh attempt begins at the integration tip %s", c.Base, tip)
	}
	return nil
}

func (c *ClaimMove) apply(p *play) {
	t, m := p.task, p.move
	from := p.from
	if p.from == Claimed {
		from = t.Claim.From
		p.free(t.Claim.By)
	}
	p.begin(c)
	t.Claim = &Claim{By: m.By, Since: m.At, Lease: m.At.Add(time.Duration(c.Lease)), From: from}
	t.Intent, t.Submission, t.Review, t.Verdict = nil, nil, nil, nil
	if w := (Worker{m.By, m.Principal}); !slices.Contains(t.Coders, w) {
		t.Coders = append(slices.Clip(t.Coders), w)
	}
	if limits := p.limits(); t.Attempt.Iteration > limits.Iterations {
		t.Attempt.Iteration = limits.Iterations
		p.exceed(LimitIterations, "Is the task feasible as it is framed, or must it be split or specified better?")
		return
	}
	p.hold(m.By, t.ID)
}

// begin starts or continues the attempt.
func (p *play) begin(c *ClaimMove) {
	t := p.task
	same, carries := p.resumes()
	if c.Saved != nil {
		t.Saves = c.Saved.Number
	}
	switch {
	case same:
		t.Attempt.Iteration++
	case carries:
		start := t.Attempt.Start
		if t.Submission != nil {
			start = t.Submission.Commit
		}
		if c.Saved != nil {
			start = c.Saved.Commit
		}
		t.Attempts++
		t.Attempt = &Attempt{Number: t.Attempts, Coder: p.move.By, Base: t.Attempt.Base, Start: start,
			Iteration: t.Attempt.Iteration + 1, Cycles: t.Attempt.Cycles}
	default:
		t.Attempts++
		t.Attempt = &Attempt{Number: t.Attempts, Coder: p.move.By, Base: c.Base, Start: c.Base, Iteration: 1}
		t.Rejection, t.Integration = nil, nil
	}
	t.Attempt.Keep = false
	if p.from == IntegrationFailed {
		t.Attempt.Fix = t.Integration.Onto
	}
}

func (c *ClaimMove) already(p *play) bool {
	return p.from == Claimed && p.task.Claim.By == p.move.By && p.task.Claim.live(p.move.At)
}

func (c *ClaimMove) refs(m Move, _ *Board) []RefMove { return saved(m.Task, c.Saved) }

func (c *ClaimMove) ask(Move, *Board) Question { return askSave(c.Saved) }

// checkSave refuses a kept commit that is not the task's next, or not there.
func (p *play) checkSave(s *Save) *Refusal {
	if s == nil {
		return nil
	}
	if s.Number != p.task.Saves+1 || s.Commit == "" {
		return refuse(RuleForm, "git liza show "+string(p.task.ID), "the next saved commit of %s has number %d, not %d", p.task.ID, p.task.Saves+1, s.Number)
	}
	if p.facts != nil && !p.facts.Saves[s.Commit] {
		return refuse(RuleFact, "git cat-file -t "+string(s.Commit), "commit %s, which is to be saved, does not exist", s.Commit)
	}
	return nil
}

func askSave(s *Save) Question {
	if s == nil {
		return Question{}
	}
	return Question{Saves: []ObjectID{s.Commit}}
}

// hold and free keep the agent's document in step with the task's claim.
func (p *play) hold(by Actor, id TaskID) { p.agent(by, func(a *Agent) { a.Task = id }) }

func (p *play) free(by Actor) { p.agent(by, func(a *Agent) { a.Task = "" }) }

func (p *play) agent(by Actor, edit func(*Agent)) {
	id := by.Agent()
	if id == "" {
		return
	}
	if found := p.Agent(id); found != nil {
		a := *found
		edit(&a)
		p.put(Key{Agents, string(id)}, &a)
	}
}

// RenewMove prolongs the lease of a claim or a review; the holder stays.
type RenewMove struct {
	Lease Duration `yaml:"lease"`
}

func renewable(p *play) *Refusal {
	by, t := p.move.By, p.task
	if by.IsHuman() || t.Claim != nil && t.Claim.By == by || t.Review != nil && t.Review.By == by {
		return nil
	}
	return refuse(RuleHolder, "git liza show "+string(t.ID), "%s holds neither %s nor its review", by, t.ID)
}

func (r *RenewMove) check(p *play) *Refusal {
	if r.Lease < Duration(time.Second) {
		return refuse(RuleForm, "git liza help renew", "a renewal needs a lease")
	}
	if p.task.Claim == nil && p.task.Review == nil {
		return refuse(RuleState, "git liza review "+string(p.task.ID), "nobody reviews %s, there is no lease to renew", p.task.ID)
	}
	return nil
}

func (r *RenewMove) apply(p *play) {
	lease := p.move.At.Add(time.Duration(r.Lease))
	if p.task.Claim != nil {
		p.task.Claim.Lease = lease
		return
	}
	p.task.Review.Lease = lease
}

// ReleaseMove gives a claim or a review back before its time.
type ReleaseMove struct {
	NoVerdict bool `yaml:"no_verdict"`
}

func releasable(p *play) *Refusal {
	t, m := p.task, p.move
	by, lease := Actor(""), time.Time{}
	switch {
	case t.Claim != nil:
		by, lease = t.Claim.By, t.Claim.Lease
	case t.Review != nil:
		by, lease = t.Review.By, t.Review.Lease
	default:
		return refuse(RuleState, "git liza show "+string(t.ID), "nobody holds %s or its review", t.ID)
	}
	if by == m.By || m.By.IsHuman() || !lease.After(m.At) {
		return nil
	}
	return refuse(RuleHolder, "git liza show "+string(t.ID), "%s is held by %s until %s", t.ID, by, lease.Format(time.RFC3339))
}

func (r *ReleaseMove) check(*play) *Refusal { return nil }

func (r *ReleaseMove) apply(p *play) {
	t := p.task
	if t.Claim != nil {
		t.Status = t.Claim.From
		p.free(t.Claim.By)
		t.Claim, t.Intent = nil, nil
		return
	}
	if r.NoVerdict {
		t.NoVerdicts++
	}
	p.freeReview(t.Review.By)
	t.Review = nil
}
