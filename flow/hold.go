package flow

import (
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// LiftMove lets tasks be claimed again that a decision held back.
type LiftMove struct {
	Reason string `yaml:"reason"`
}

func (l *LiftMove) subject() string { return "" }

func (l *LiftMove) already(p *play) bool {
	g := p.board.Goal(p.move.Goal)
	return g != nil && g.Hold == nil
}

func (l *LiftMove) check(p *play) *Refusal {
	if p.board.Goal(p.goalID()).Hold == nil {
		return refuse(RuleDecision, "git liza goal list", "nothing is held back of %s", p.goalID())
	}
	return present("the reason", l.Reason, "git liza checkpoint lift --reason R")
}

func (l *LiftMove) apply(p *effect) { editGoal(p, func(g *board.Goal) { g.Hold = nil }) }

// checkHold refuses the claim of a task that a decision holds back.
func checkHold(p *play) *Refusal {
	t, g := p.task, p.board.Goal(p.task.Goal)
	if g == nil || !g.Hold.Keeps(t.ID, p.from, t.Created) {
		return nil
	}
	return refuse(RuleDecision, "git liza checkpoint lift --goal "+string(g.ID)+" --reason R", "%s is held back since %s (%s): %s",
		t.ID, g.Hold.Checkpoint, g.Hold.Decision, board.Clip(g.Hold.Message))
}

// HoldOn is the decision that keeps a task from being claimed, nil if none does. A task
// that stands elsewhere than before a claim has none.
func HoldOn(h board.Holds, s *board.Summary) *board.Hold {
	if hold := h[s.Goal]; Allows(s.Status, board.ActClaim) && hold.Keeps(s.ID, s.Status, s.Created) {
		return hold
	}
	return nil
}

// oldestHeldBack is the oldest task of a goal in progress that an act could begin on if nothing
// kept it back, nil if there is none.
func oldestHeldBack(b *board.Board, act board.Act, c Caller, at time.Time) *board.Summary {
	begins, kept, open := beginsWork(b, act, c.By, at), keepsFor(b, act, c, at), goalPriorities(b)
	for _, s := range b.Summaries() {
		if begins(s) && !s.IsEnded(open) && kept(s) {
			return s
		}
	}
	return nil
}
