package flow

// ResumeMove allows new claims again.
type ResumeMove struct {
	Reason string `yaml:"reason"`
}

// NeedsDecision reports whether the board is in a checkpoint that no human has
// decided yet.
func (c ControlState) NeedsDecision() bool { return c.State == Checkpoint && c.Decision == "" }

// IsDecided reports whether the board is in a checkpoint that a human has
// decided.
func (c ControlState) IsDecided() bool { return c.State == Checkpoint && c.Decision != "" }

// AwaitsGoal reports whether the board is in a checkpoint that only a new goal ends.
func (c ControlState) AwaitsGoal(b *Board) bool {
	g := b.Goal(c.Goal)
	return c.State == Checkpoint && c.Decision == "PIVOT" && g != nil && g.Status == InProgress
}

// Onward is the command that ends a pause, a checkpoint or a stop of a board, or the first
// of several.
func (c ControlState) Onward(b *Board) string {
	switch {
	case b.Breaker().Tripped:
		return "git liza board breaker reset --resolution R"
	case c.NeedsDecision():
		return "git liza checkpoint decide CONTINUE --message M"
	case c.AwaitsGoal(b):
		return "git liza goal set TITLE"
	}
	return "git liza resume --reason R"
}

// resumable refuses to leave a checkpoint before a human has decided, and to
// resume while the circuit breaker is tripped.
func resumable(p *play) *Refusal {
	c := p.board.Settings().Control
	to := c.State
	if to == Stopped {
		to = c.Before
	}
	if p.board.Breaker().Tripped && (c.State == Checkpoint || to == Running) {
		return refuse(RuleBreaker, "git liza board breaker reset --resolution R", "the circuit breaker is tripped (%s)", p.board.Breaker().Pattern)
	}
	if c.NeedsDecision() {
		return refuse(RuleDecision, c.Onward(p.board), "the checkpoint (%s) has no decision yet", c.Reason)
	}
	if c.AwaitsGoal(p.board) {
		return refuse(RuleDecision, c.Onward(p.board), "the decision is PIVOT: a new goal leads on")
	}
	if c.State == Running {
		return refuse(RuleControl, "git liza status", "the board is RUNNING already")
	}
	return nil
}

func (r *ResumeMove) check(*play) *Refusal {
	return present("the reason", r.Reason, "git liza resume --reason R")
}

func (r *ResumeMove) already(p *play) bool { return p.board.Settings().Control.State == Running }

func (r *ResumeMove) apply(p *effect) {
	c := p.board.Settings().Control
	if c.State == Stopped {
		to := c.Before
		p.change(func(s *Settings) {
			s.Control = ControlState{State: to, Reason: r.Reason, By: p.move.By, At: p.move.At, Decision: c.Decision, Message: c.Message, Mark: c.Mark, Goal: c.Goal}
			if c.Decision == "STOP" {
				s.Control.Decision, s.Control.Message = "", ""
			}
		})
		return
	}
	if c.State == Checkpoint {
		setSprintPhase(p, InProgress)
	}
	setControl(p, Running, r.Reason)
}
