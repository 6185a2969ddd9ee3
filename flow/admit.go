package flow

import (
	"slices"
	"time"
)

// Admissible refuses what is neither made nor admitted any more, though the
// rules of replay take it: earlier programs let it pass, and history stays
// legal. It is asked after [Board.Apply], of the board before the move, with
// the facts that the move was judged by.
func (b *Board) Admissible(m Move, facts *Facts) *Refusal {
	p := &play{Board: b, prior: b, move: &m, facts: facts}
	if m.Task != "" {
		p.task = b.Task(m.Task)
	}
	if facts != nil && facts.Flaw != nil {
		return facts.Flaw
	}
	if d, ok := m.Detail.(admitter); ok {
		return d.admit(p)
	}
	return nil
}

// MaxLease is how long a claim or a review lasts at a time, if the board's
// configuration gives no longer leases. An agent that works renews its lease, so that
// a task does not wait for years for an agent that is gone.
const MaxLease = Duration(24 * time.Hour)

// overlong refuses a move that takes or keeps a task or review for longer than
// [MaxLease] and the board's own leases.
func (p *play) overlong(lease Duration) *Refusal {
	if lease <= MaxLease {
		return nil
	}
	config := p.Settings().Config
	longest := max(MaxLease, config.Lease, config.ReviewLease)
	if lease <= longest {
		return nil
	}
	m := p.move
	hint := "git liza " + m.Act.Command() + " " + string(m.Task) + " --lease " + longest.String()
	if id := m.By.Agent(); id != "" {
		hint += " --as " + string(id)
	}
	return refuse(RuleLease, hint, "a lease lasts %s at most on this board, and not %s: whoever works renews it", longest, lease)
}

func (c *ClaimMove) admit(p *play) *Refusal  { return p.overlong(c.Lease) }
func (r *RenewMove) admit(p *play) *Refusal  { return p.overlong(r.Lease) }
func (r *ReviewMove) admit(p *play) *Refusal { return p.overlong(r.Lease) }

func (a *AddMove) admit(*play) *Refusal       { return boundOwns(a.Tasks) }
func (i *ImportMove) admit(*play) *Refusal    { return boundOwns(i.Tasks) }
func (s *SupersedeMove) admit(*play) *Refusal { return boundOwns(s.Add) }
func (c *ConvertMove) admit(*play) *Refusal   { return boundOwns([]TaskInput{c.Input}) }

// admit lets an edit leave globs as they are, which may be an earlier program's.
func (e *EditMove) admit(p *play) *Refusal {
	if p.task != nil && slices.Equal(p.task.Owns, e.Input.Owns) {
		return nil
	}
	return boundOwns([]TaskInput{e.Input})
}

// maxAssumptions is how many assumptions an agent's intent may have: the budget of
// CORE's stop triggers. An agent that needs more asks.
const maxAssumptions = 2

func (i *IntentMove) admit(p *play) *Refusal {
	if n := len(i.Intent.Assumptions); n > maxAssumptions && !p.move.By.IsHuman() {
		hint := "git liza block " + string(p.move.Task) + " --reason REASON --question QUESTION --as " + string(p.move.By)
		return refuse(RuleIntent, hint, "an intent rests on %d assumptions at the most, and this one on %d: ask instead of assuming", maxAssumptions, n)
	}
	return boundGlobs("the intent for "+string(p.move.Task), i.Intent.Extend, "git liza help intent")
}

func (c *ConfigMove) admit(*play) *Refusal {
	return boundGlobs("the configuration", c.Config.globs(), "git liza config")
}

// admit binds a session to the agent that can have had it: a coder held the task,
// a reviewer had a submission to judge. What it used fits into the time that it
// says to have taken, and that into the life of the task. A person's word counts:
// what it spends, others of that standing can allow again.
func (s *SessionMove) admit(p *play) *Refusal {
	by, t := p.move.By, p.task
	if by.IsHuman() {
		return nil
	}
	hint := "git liza show " + string(p.move.Task)
	switch {
	case t == nil:
		hint = "git liza agents"
	case s.Role == Coder && !slices.ContainsFunc(t.Coders, func(w Worker) bool { return w.By == by }):
		return refuse(RuleHolder, hint, "%s never held %s: who works on a task reports what that used", by, t.ID)
	case s.Role == CodeReviewer && t.Submissions == 0:
		return refuse(RuleHolder, hint, "%s cannot have reviewed %s, of which nothing was submitted", by, t.ID)
	case time.Duration(s.Usage.Seconds)*time.Second > p.move.At.Sub(t.Created)+5*time.Minute:
		return refuse(RuleLimit, hint, "a session of %d seconds is longer than %s is old", s.Usage.Seconds, t.ID)
	}
	if most := s.Usage.most(); s.Usage.Input > most.Input || s.Usage.Output > most.Output || s.Usage.Cost > most.Cost {
		return refuse(RuleLimit, hint, "nobody uses as much within %d seconds: at most %d tokens are read, %d written and %s dollars spent in them",
			s.Usage.Seconds, most.Input, most.Output, most.Cost)
	}
	return nil
}

// What a session uses at most in a second, and as if it had lasted a minute
// longer: one full context of the largest that are sold, a million tokens, read
// in each; ten times what the fastest models write; and more than both cost by
// any list of prices in 2026.
const (
	readPerSecond    = 1_000_000
	writtenPerSecond = 10_000
	costPerSecond    = Cost(20 * dollar)
)

// most is what a session of that length can have used.
func (u Usage) most() Usage {
	seconds := u.Seconds + 60
	return Usage{Input: seconds * readPerSecond, Output: seconds * writtenPerSecond, Cost: Cost(seconds) * costPerSecond}
}

// admit refuses to agents of a machine's account the acts that concern all: a
// checkpoint, for which new claims wait until a human decides, the begin and the end
// of a goal or a sprint, and a retrospective, which is somebody else's text. Agents
// that plan, and agents that merge where principals have that right, may make them.
func (c *CheckpointMove) admit(p *play) *Refusal  { return p.actor().steers() }
func (t *TripMove) admit(p *play) *Refusal        { return p.actor().steers() }
func (c *CompleteMove) admit(p *play) *Refusal    { return p.actor().steers() }
func (s *SprintStartMove) admit(p *play) *Refusal { return p.actor().steers() }
func (s *SprintCloseMove) admit(p *play) *Refusal { return p.actor().steers() }
func (r *RetroMove) admit(p *play) *Refusal       { return p.actor().steers() }

func boundOwns(list []TaskInput) *Refusal {
	for _, t := range list {
		if r := boundGlobs(string(t.ID), t.Owns, "git liza help task edit"); r != nil {
			return r
		}
	}
	return nil
}
