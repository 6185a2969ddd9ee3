package flow

import (
	"cmp"
	"slices"
)

// CheckpointMove stops new claims until a human has looked and decided.
type CheckpointMove struct {
	Reason string `yaml:"reason"`
	Cause  Cause  `yaml:"cause"` // of one that no person asked for; zero has none
	Since  string `yaml:"since"` // mark of the last checkpoint, by which the cause was judged
}

func (c *CheckpointMove) fill(p *play) {
	if c.Since == "" && slices.Contains(computedCauses, c.Cause) {
		c.Since = p.board.Settings().Checked.Mark
	}
}

func (c *CheckpointMove) check(p *play) *Refusal {
	if now := p.board.Settings().Control.State; now != Running && now != Paused {
		return refuse(RuleControl, "git liza status", "checkpoint applies while the board is RUNNING or PAUSED, it is %s", now)
	}
	if g := p.board.Goal(p.move.Goal); g != nil && g.Status != InProgress {
		return refuse(RuleGoal, "git liza goal list", "the goal %s is %s, not in progress", g.ID, g.Status)
	}
	return cmp.Or(checkCause(p, c), present("the reason", c.Reason, "git liza checkpoint --reason R"))
}

func (c *CheckpointMove) already(p *play) bool {
	s := p.board.Settings()
	return s.Control.State == Checkpoint || c.Since != "" && s.Checked.Mark != c.Since
}

func (c *CheckpointMove) refs(_ Move, b *Board) []RefMove {
	return []RefMove{{Name: MarkRef(nextMark(b, "checkpoint")), State: true}}
}

func (c *CheckpointMove) apply(p *effect) {
	mark := nextMark(p.board, "checkpoint")
	setControl(p, Checkpoint, c.Reason)
	p.change(func(s *Settings) { s.Control.Mark, s.Control.Goal = mark, p.move.Goal })
	passMark(p, mark)
	setSprintPhase(p, InCheckpoint)
	p.change(func(s *Settings) { s.Next.Mark++ })
}

// A Cause is why a checkpoint was made that no person asked for. The zero value is
// none.
type Cause uint8

// The causes of checkpoints.
const (
	CauseDeadline Cause = iota + 1 // of the sprint is over
	CauseMerges                    // so many since the last checkpoint
	CauseBudget                    // such a share of it is used since the last checkpoint
	CauseFile                      // a person put it there
	CauseGate                      // it cannot run on two hosts
)

var causeNames = names{"cause", "deadline", "merges", "budget", "file", "gate"}

// String is the cause as moves spell it.
func (c Cause) String() string { return causeNames.name(uint8(c)) }

// MarshalText writes the name; the zero value is an error.
func (c Cause) MarshalText() ([]byte, error) { return causeNames.marshal(uint8(c)) }

// UnmarshalText accepts exactly the names of [Cause.String].
func (c *Cause) UnmarshalText(text []byte) error { return unmarshalName(c, text, causeNames) }
