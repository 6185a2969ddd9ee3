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
	if d, ok := m.Detail.(interface{ admit(*play) *Refusal }); ok {
		return d.admit(p)
	}
	return nil
}

// MaxLease is how long a claim or a review lasts at a time, where the board's
// configuration gives no longer leases. Whoever works renews its lease; a task
// is not to wait for years for somebody who is gone.
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

func (i *IntentMove) admit(p *play) *Refusal {
	return boundGlobs("the intent for "+string(p.move.Task), i.Intent.Extend, "git liza help intent")
}

func (c *ConfigMove) admit(*play) *Refusal {
	return boundGlobs("the configuration", c.Config.globs(), "git liza config")
}

func boundOwns(list []TaskInput) *Refusal {
	for _, t := range list {
		if r := boundGlobs(string(t.ID), t.Owns, "git liza help task edit"); r != nil {
			return r
		}
	}
	return nil
}
