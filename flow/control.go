package flow

import "strings"

// PauseMove stops new claims until somebody resumes.
type PauseMove struct {
	Reason string `yaml:"reason"`
}

func (c *PauseMove) check(p *play) *Refusal {
	return p.controllable(c.Reason, Running, "pause")
}

func (c *PauseMove) already(p *play) bool { return p.Settings().Control.State == Paused }

func (c *PauseMove) apply(p *effect) { p.control(Paused, c.Reason) }

// controllable refuses a change of the control state from another state than
// from, or without a reason.
func (p *play) controllable(reason string, from Control, verb string) *Refusal {
	if now := p.Settings().Control.State; now != from {
		return refuse(RuleControl, "git liza status", "%s applies while the board is %s, it is %s", verb, from, now)
	}
	return present("the reason", reason, "git liza "+verb+" --reason R")
}

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

// Onward is the command that ends a pause, a checkpoint or a stop.
func (c ControlState) Onward() string {
	if c.NeedsDecision() {
		return "git liza checkpoint decide CONTINUE --message M"
	}
	return "git liza resume --reason R"
}

// resumable refuses to leave a checkpoint before a human has decided, and to
// resume while the circuit breaker is tripped.
func resumable(p *play) *Refusal {
	c := p.Settings().Control
	to := c.State
	if to == Stopped {
		to = c.Before
	}
	if p.Breaker().Tripped && (c.State == Checkpoint || to == Running) {
		return refuse(RuleBreaker, "git liza breaker reset --resolution R", "the circuit breaker is tripped (%s)", p.Breaker().Pattern)
	}
	if c.NeedsDecision() {
		return refuse(RuleDecision, c.Onward(), "the checkpoint (%s) has no decision yet", c.Reason)
	}
	if c.State == Running {
		return refuse(RuleControl, "git liza status", "the board is RUNNING already")
	}
	return nil
}

func (r *ResumeMove) check(*play) *Refusal {
	return present("the reason", r.Reason, "git liza resume --reason R")
}

func (r *ResumeMove) already(p *play) bool { return p.Settings().Control.State == Running }

func (r *ResumeMove) apply(p *effect) {
	c := p.Settings().Control
	if c.State == Stopped {
		to := c.Before
		p.change(func(s *Settings) {
			s.Control = ControlState{State: to, Reason: r.Reason, By: p.move.By, At: p.move.At, Decision: c.Decision, Message: c.Message}
		})
		return
	}
	if c.State == Checkpoint {
		p.sprintPhase(InProgress)
	}
	p.control(Running, r.Reason)
}

// StopMove ends the supervisors.
type StopMove struct {
	Reason string `yaml:"reason"`
}

func (c *StopMove) check(p *play) *Refusal {
	if now := p.Settings().Control.State; now == Stopped {
		return refuse(RuleControl, "git liza resume --reason R", "the board is STOPPED already")
	}
	return present("the reason", c.Reason, "git liza stop --reason R")
}

func (c *StopMove) already(p *play) bool { return p.Settings().Control.State == Stopped }

func (c *StopMove) apply(p *effect) {
	before := p.Settings().Control
	p.change(func(s *Settings) {
		s.Control = ControlState{State: Stopped, Before: before.State, Reason: c.Reason, By: p.move.By, At: p.move.At,
			Decision: before.Decision, Message: before.Message}
	})
}

// CheckpointMove stops new claims until a human has looked and decided.
type CheckpointMove struct {
	Reason string `yaml:"reason"`
}

func (c *CheckpointMove) check(p *play) *Refusal {
	if now := p.Settings().Control.State; now != Running && now != Paused {
		return refuse(RuleControl, "git liza status", "checkpoint applies while the board is RUNNING or PAUSED, it is %s", now)
	}
	return present("the reason", c.Reason, "git liza checkpoint --reason R")
}

func (c *CheckpointMove) already(p *play) bool { return p.Settings().Control.State == Checkpoint }

func (c *CheckpointMove) refs(_ Move, b *Board) []RefMove {
	return []RefMove{{Name: MarkRef(b.mark("checkpoint")), State: true}}
}

func (c *CheckpointMove) apply(p *effect) {
	p.control(Checkpoint, c.Reason)
	p.sprintPhase(InCheckpoint)
	p.change(func(s *Settings) { s.Next.Mark++ })
}

// DecideMove records what the human decided at a checkpoint.
type DecideMove struct {
	Decision string `yaml:"decision"`
	Message  string `yaml:"message"`
}

var decisions = []string{"CONTINUE", "ADJUST_SPECS", "ADJUST_CONTRACTS", "REPLAN", "PIVOT", "STOP"}

func inCheckpoint(p *play) *Refusal {
	if now := p.Settings().Control.State; now != Checkpoint {
		return refuse(RuleControl, "git liza checkpoint --reason R", "there is no checkpoint to decide, the board is %s", now)
	}
	return nil
}

func (d *DecideMove) check(*play) *Refusal {
	if !contains(decisions, d.Decision) {
		return refuse(RuleForm, "git liza checkpoint decide CONTINUE --message M", "%q is no decision; there are %s", clip(d.Decision), strings.Join(decisions, ", "))
	}
	return present("the message", d.Message, "git liza checkpoint decide "+d.Decision+" --message M")
}

func (d *DecideMove) apply(p *effect) {
	p.change(func(s *Settings) { s.Control.Decision, s.Control.Message = d.Decision, d.Message })
}

// TripMove trips the circuit breaker, which puts the board into a checkpoint.
type TripMove struct {
	Pattern  string   `yaml:"pattern"`
	Severity string   `yaml:"severity"`
	Evidence []string `yaml:"evidence"`
	Report   string   `yaml:"report"`
}

func (t *TripMove) check(p *play) *Refusal {
	if p.Breaker().Tripped {
		return refuse(RuleBreaker, "git liza breaker reset --resolution R", "the circuit breaker is tripped already (%s)", p.Breaker().Pattern)
	}
	return present("the pattern", t.Pattern, "git liza status")
}

func (t *TripMove) refs(_ Move, b *Board) []RefMove {
	if c := b.Settings().Control.State; c == Checkpoint || c == Stopped {
		return nil
	}
	return []RefMove{{Name: MarkRef(b.mark("checkpoint")), State: true}}
}

func (t *TripMove) apply(p *effect) {
	b := p.Breaker()
	p.put(Key{Folder: BreakerDoc}, &Breaker{Tripped: true, Pattern: t.Pattern, Severity: t.Severity, Evidence: t.Evidence,
		Report: t.Report, By: p.move.By, At: p.move.At, Watermark: b.Watermark})
	switch c := p.Settings().Control; c.State {
	case Stopped:
		p.change(func(s *Settings) { s.Control.Before, s.Control.Decision = Checkpoint, "" })
		p.sprintPhase(InCheckpoint)
	case Checkpoint:
		p.change(func(s *Settings) { s.Control.Decision = "" })
	default:
		(&CheckpointMove{Reason: "circuit breaker: " + t.Pattern}).apply(p)
	}
}

// ResetMove resets the circuit breaker; records from before are not judged
// again.
type ResetMove struct {
	Resolution string `yaml:"resolution"`
}

func tripped(p *play) *Refusal {
	if !p.Breaker().Tripped {
		return refuse(RuleBreaker, "git liza status", "the circuit breaker is not tripped")
	}
	return nil
}

func (r *ResetMove) check(*play) *Refusal {
	return present("the resolution", r.Resolution, "git liza breaker reset --resolution R")
}

func (r *ResetMove) apply(p *effect) {
	b := p.Breaker()
	b.Tripped, b.Resolution, b.Watermark = false, r.Resolution, p.Settings().Next.Record-1
	p.put(Key{Folder: BreakerDoc}, &b)
}
