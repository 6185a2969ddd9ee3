package flow

import "github.com/git-liza/git-liza/flow/board"

// ResumeMove allows new claims again.
type ResumeMove struct {
	Reason string `yaml:"reason"`
}

// resumable refuses to leave a checkpoint before a human has decided, and to
// resume while the circuit breaker is tripped.
func resumable(p *play) *Refusal {
	c := p.board.Settings().Control
	to := c.State
	if to == board.Stopped {
		to = c.Before
	}
	if p.board.Breaker().Tripped && (c.State == board.Checkpoint || to == board.Running) {
		return refuse(RuleBreaker, "git liza board breaker reset --resolution R", "the circuit breaker is tripped (%s)", p.board.Breaker().Pattern)
	}
	if c.NeedsDecision() {
		return refuse(RuleDecision, c.Onward(p.board), "the checkpoint (%s) has no decision yet", c.Reason)
	}
	if c.AwaitsGoal(p.board) {
		return refuse(RuleDecision, c.Onward(p.board), "the decision is PIVOT: a new goal leads on")
	}
	if c.State == board.Running {
		return refuse(RuleControl, "git liza status", "the board is RUNNING already")
	}
	return nil
}

func (r *ResumeMove) check(*play) *Refusal {
	return present("the reason", r.Reason, "git liza resume --reason R")
}

func (r *ResumeMove) already(p *play) bool { return p.board.Settings().Control.State == board.Running }

func (r *ResumeMove) apply(p *effect) {
	c := p.board.Settings().Control
	if c.State == board.Stopped {
		to := c.Before
		p.change(func(s *board.Settings) {
			s.Control = board.ControlState{State: to, Reason: r.Reason, By: p.move.By, At: p.move.At, Decision: c.Decision, Message: c.Message, Mark: c.Mark, Goal: c.Goal}
			if c.Decision == "STOP" {
				s.Control.Decision, s.Control.Message = "", ""
			}
		})
		return
	}
	if c.State == board.Checkpoint {
		setSprintPhase(p, board.InProgress)
	}
	setControl(p, board.Running, r.Reason)
}
