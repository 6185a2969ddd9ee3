package flow

import "strings"

// DecideMove records what the human decided at a checkpoint.
type DecideMove struct {
	Decision string `yaml:"decision"`
	Message  string `yaml:"message"`

	Checkpoint string   `yaml:"checkpoint,since=3"` // the mark of the one that it is about
	Tasks      []TaskID `yaml:"tasks,since=3"`      // that are held; none: those of the goal that nobody has begun
}

func (d *DecideMove) fill(*play) {}

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
