package flow

import "time"

// A Mark is a state that a person named, the document marks/<name>.yaml; the
// commit is that of the ref.
type Mark struct {
	Name   string    `yaml:"name"`
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// MarkMove names the state that it is made on.
type MarkMove struct {
	Name   string `yaml:"name"`
	Reason string `yaml:"reason"`
}

func (m *MarkMove) subject() string { return m.Name }

func (m *MarkMove) refs(Move, *Board) []RefMove {
	return []RefMove{{Name: MarkRef(m.Name), State: true}}
}

func (m *MarkMove) check(*play) *Refusal { return nil }

func (m *MarkMove) apply(*effect) {}

// marking lets the board pass a checkpoint.
type marking struct{ *effect }

// pass records the newest checkpoint, and what each goal in progress had reached by
// then. Automatic checkpoints count from it.
func (p marking) pass(mark string) {
	p.change(func(s *Settings) { s.Checked = &Checked{Mark: mark, At: p.move.At} })
	for _, g := range p.calendar().goals() {
		if now := g.tally(); !g.AtCheckpoint.equal(now) {
			passed := *g
			passed.AtCheckpoint = now
			p.put(Key{Goals, string(g.ID)}, &passed)
		}
	}
}

// countMerged counts a task of a goal that has become MERGED.
func (p marking) countMerged(goal GoalID) {
	if g := p.Goal(goal); g != nil && p.HasRules(3) {
		counted := *g
		counted.Merged++
		p.put(Key{Goals, string(g.ID)}, &counted)
	}
}

// tally is what a goal has reached and used; nil if that is nothing.
func (g *Goal) tally() *Tally {
	if now := (Tally{Merged: g.Merged, Tokens: g.Usage.Tokens(), Cost: g.Usage.Cost}); now != (Tally{}) {
		return &now
	}
	return nil
}

// equal reports whether two tallies are the same; nil is zero.
func (t *Tally) equal(o *Tally) bool { return t.sums() == o.sums() }

// sums are the sums of a tally, zero for nil.
func (t *Tally) sums() Tally {
	if t == nil {
		return Tally{}
	}
	return *t
}
