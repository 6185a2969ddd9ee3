package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// CheckpointMove stops new claims until a human has looked and decided.
type CheckpointMove struct {
	Reason string      `yaml:"reason"`
	Cause  board.Cause `yaml:"cause"` // of one that no person asked for; zero has none
	Since  string      `yaml:"since"` // mark of the last checkpoint, by which the cause was judged
}

func (c *CheckpointMove) fill(p *play) {
	if c.Since == "" && slices.Contains(computedCauses, c.Cause) {
		c.Since = p.board.Settings().Checked.Mark
	}
}

func (c *CheckpointMove) check(p *play) *Refusal {
	if now := p.board.Settings().Control.State; now != board.Running && now != board.Paused {
		return refuse(RuleControl, "git liza status", "checkpoint applies while the board is RUNNING or PAUSED, it is %s", now)
	}
	if g := p.board.Goal(p.move.Goal); g != nil && g.Status != board.InProgress {
		return refuse(RuleGoal, "git liza goal list", "the goal %s is %s, not in progress", g.ID, g.Status)
	}
	return cmp.Or(checkCause(p, c), present("the reason", c.Reason, "git liza checkpoint --reason R"))
}

func (c *CheckpointMove) already(p *play) bool {
	s := p.board.Settings()
	return s.Control.State == board.Checkpoint || c.Since != "" && s.Checked.Mark != c.Since
}

func (c *CheckpointMove) refs(_ Move, b *board.Board) []RefMove {
	return []RefMove{{Name: board.MarkRef(nextMark(b, "checkpoint")), State: true}}
}

func (c *CheckpointMove) apply(p *effect) {
	mark := nextMark(p.board, "checkpoint")
	setControl(p, board.Checkpoint, c.Reason)
	p.change(func(s *board.Settings) { s.Control.Mark, s.Control.Goal = mark, p.move.Goal })
	passMark(p, mark)
	setSprintPhase(p, board.InCheckpoint)
	p.change(func(s *board.Settings) { s.Next.Mark++ })
}
