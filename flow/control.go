package flow

import "github.com/git-liza/git-liza/flow/board"

// PauseMove stops new claims until somebody resumes.
type PauseMove struct {
	Reason string `yaml:"reason"`
}

func (c *PauseMove) check(p *play) *Refusal {
	return p.controllable(c.Reason, board.Running, "pause")
}

func (c *PauseMove) already(p *play) bool { return p.board.Settings().Control.State == board.Paused }

func (c *PauseMove) apply(p *effect) { setControl(p, board.Paused, c.Reason) }

// controllable refuses a change of the control state from another state than
// from, or without a reason.
func (p *play) controllable(reason string, from board.Control, verb string) *Refusal {
	if now := p.board.Settings().Control.State; now != from {
		return refuse(RuleControl, "git liza status", "%s applies while the board is %s, it is %s", verb, from, now)
	}
	return present("the reason", reason, "git liza "+verb+" --reason R")
}

// StopMove ends the supervisors.
type StopMove struct {
	Reason string `yaml:"reason"`
}

func (c *StopMove) check(p *play) *Refusal {
	if now := p.board.Settings().Control.State; now == board.Stopped {
		return refuse(RuleControl, "git liza resume --reason R", "the board is STOPPED already")
	}
	return present("the reason", c.Reason, "git liza stop --reason R")
}

func (c *StopMove) already(p *play) bool { return p.board.Settings().Control.State == board.Stopped }

func (c *StopMove) apply(p *effect) {
	before := p.board.Settings().Control
	p.change(func(s *board.Settings) {
		s.Control = board.ControlState{State: board.Stopped, Before: before.State, Reason: c.Reason, By: p.move.By, At: p.move.At,
			Decision: before.Decision, Message: before.Message, Mark: before.Mark, Goal: before.Goal}
	})
}
