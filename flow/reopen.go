package flow

import "time"

// ReopenMove continues a goal that has ended, with a new sprint. It becomes the
// current goal.
type ReopenMove struct {
	Reason string `yaml:"reason"`
	Texts  texts  `yaml:"texts"` // of the paths that the goal and its open tasks stand on
}

func (r *ReopenMove) subject() string { return "" }

func (r *ReopenMove) ask(Move, *Board) Query { return Query{} }

func (r *ReopenMove) fill(*play) {}

func (r *ReopenMove) refs(m Move, b *Board) []RefMove {
	return []RefMove{{Name: MarkRef(string(b.calendar().forTasks(m.Goal))), State: true}}
}

func (r *ReopenMove) already(p *play) bool { return p.ended(InProgress) }

func (r *ReopenMove) check(p *play) *Refusal {
	if goal := p.goalID(); p.ended(InProgress) {
		return refuse(RuleState, "git liza goal list", "the goal %s has not ended", goal)
	}
	return present("the reason", r.Reason, "git liza goal reopen ID --reason R")
}

func (r *ReopenMove) apply(p *effect) {
	p.goal(func(g *Goal) { g.Status, g.Ended, g.Reason = InProgress, time.Time{}, "" })
	p.startSprint(time.Time{})
	p.change(func(s *Settings) { s.Goal = p.goalID() })
}
