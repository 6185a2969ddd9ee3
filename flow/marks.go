package flow

import (
	"github.com/git-liza/git-liza/flow/board"
)

// MarkMove names the state that it is made on.
type MarkMove struct {
	Name   string `yaml:"name"`
	Reason string `yaml:"reason"`
}

func (m *MarkMove) subject() string { return m.Name }

func (m *MarkMove) refs(Move, *board.Board) []RefMove {
	return []RefMove{{Name: board.MarkRef(m.Name), State: true}}
}

func (m *MarkMove) check(p *play) *Refusal {
	switch {
	case !board.GoodMark(m.Name):
		return refuse(RuleForm, "git liza help board mark", "%q cannot name a mark: 1 to 64 of a-z, 0-9, dots, hyphens and underscores, not sprint-N or checkpoint-N", board.Clip(m.Name))
	case p.board.Load(board.Key{Folder: board.MarkDocs, ID: m.Name}) != nil:
		return refuse(RuleExists, "git liza board mark --list", "there is a mark %s already", m.Name)
	case len(p.board.IDs(board.MarkDocs)) >= maxMarks:
		return refuse(RuleLimit, "git liza board mark --list", "a board has at most %d marks that persons named", maxMarks)
	}
	return nil
}

func (m *MarkMove) apply(p *effect) {
	p.put(board.Key{Folder: board.MarkDocs, ID: m.Name}, &board.Mark{Name: m.Name, Reason: m.Reason, By: p.move.By, At: p.move.At})
}

// maxMarks bounds the marks that persons named, because each is a ref for ever.
const maxMarks = 1000

// passMark records the newest checkpoint, and what each goal in progress had reached by
// then. Automatic checkpoints count from it.
func passMark(p *effect, mark string) {
	p.change(func(s *board.Settings) { s.Checked = &board.Checked{Mark: mark, At: p.move.At} })
	for _, g := range p.board.GoalsInProgress() {
		if now := g.Tally(); !g.AtCheckpoint.Equal(now) {
			passed := *g
			passed.AtCheckpoint = now
			p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, &passed)
		}
	}
}

// countMerged counts a task of a goal that has become MERGED.
func countMerged(p *effect, goal board.GoalID) {
	if g := p.board.Goal(goal); g != nil {
		counted := *g
		counted.Merged++
		p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, &counted)
	}
}
