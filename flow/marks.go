package flow

import (
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/pattern"
)

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

func (m *MarkMove) check(p *play) *Refusal {
	switch {
	case !goodMark(m.Name):
		return refuse(RuleForm, "git liza help board mark", "%q cannot name a mark: 1 to 64 of a-z, 0-9, dots, hyphens and underscores, not sprint-N or checkpoint-N", clip(m.Name))
	case p.board.Load(Key{MarkDocs, m.Name}) != nil:
		return refuse(RuleExists, "git liza board mark --list", "there is a mark %s already", m.Name)
	case len(p.board.IDs(MarkDocs)) >= maxMarks:
		return refuse(RuleLimit, "git liza board mark --list", "a board has at most %d marks that persons named", maxMarks)
	}
	return nil
}

func (m *MarkMove) apply(p *effect) {
	p.put(Key{MarkDocs, m.Name}, &Mark{Name: m.Name, Reason: m.Reason, By: p.move.By, At: p.move.At})
}

// maxMarks bounds the marks that persons named, because each is a ref for ever.
const maxMarks = 1000

// numberedMark are the names of marks that the board gives itself.
var numberedMark = pattern.Late(`^(sprint|checkpoint)-[0-9]+$`)

// goodMark accepts names that are part of a ref.
func goodMark(name string) bool {
	return name != "" && len(name) <= 64 && name[0] != '.' && name[0] != '_' && name[0] != '-' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == "" && !strings.Contains(name, "..") &&
		!strings.HasSuffix(name, ".") && !strings.HasSuffix(name, ".lock") && !numberedMark().MatchString(name)
}

// IsMarkName reports whether a mark can have the name, given by a person or by the board.
func IsMarkName(name string) bool { return goodMark(name) || numberedMark().MatchString(name) }

// passMark records the newest checkpoint, and what each goal in progress had reached by
// then. Automatic checkpoints count from it.
func passMark(p *effect, mark string) {
	p.change(func(s *Settings) { s.Checked = &Checked{Mark: mark, At: p.move.At} })
	for _, g := range p.board.GoalsInProgress() {
		if now := g.tally(); !g.AtCheckpoint.equal(now) {
			passed := *g
			passed.AtCheckpoint = now
			p.put(Key{Goals, string(g.ID)}, &passed)
		}
	}
}

// countMerged counts a task of a goal that has become MERGED.
func countMerged(p *effect, goal GoalID) {
	if g := p.board.Goal(goal); g != nil {
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
