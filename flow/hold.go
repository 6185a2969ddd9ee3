package flow

import (
	"time"

	"github.com/git-liza/git-liza/flow/lists"
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

func (l *LiftMove) apply(p *effect) { editGoal(p, func(g *Goal) { g.Hold = nil }) }

// checkHold refuses the claim of a task that a decision holds back.
func checkHold(p *play) *Refusal {
	t, g := p.task, p.board.Goal(p.task.Goal)
	if g == nil || !g.Hold.keeps(t.ID, p.from, t.Created) {
		return nil
	}
	return refuse(RuleDecision, "git liza checkpoint lift --goal "+string(g.ID)+" --reason R", "%s is held back since %s (%s): %s",
		t.ID, g.Hold.Checkpoint, g.Hold.Decision, clip(g.Hold.Message))
}

// Holds are decisions that keep tasks from being claimed, by goal.
type Holds map[GoalID]*Hold

// HoldsOf are the decisions of a board that hold tasks back; none if there is no board.
func HoldsOf(b *Board) Holds {
	if b == nil {
		return nil
	}
	of := Holds{}
	for _, g := range b.GoalsInProgress() {
		if g.Hold != nil {
			of[g.ID] = g.Hold
		}
	}
	return of
}

// On is the decision that keeps a task from being claimed, nil if none does. A task
// that stands elsewhere than before a claim has none.
func (h Holds) On(s *Summary) *Hold {
	if hold := h[s.Goal]; s.Status.Allows(ActClaim) && hold.keeps(s.ID, s.Status, s.Created) {
		return hold
	}
	return nil
}

// HeldTasks are the tasks of a goal that a decision holds back, oldest first.
func HeldTasks(b *Board, goal GoalID) []TaskID {
	g := b.Goal(goal)
	if g == nil || g.Hold == nil {
		return nil
	}
	held := lists.Where(openTasksOf(b, goal), func(s *Summary) bool { return g.Hold.keeps(s.ID, s.Status, s.Created) })
	return lists.Of(held, func(s *Summary) TaskID { return s.ID })
}

// oldestHeldBack is the oldest task of a goal in progress that an act could begin on if nothing
// kept it back, nil if there is none.
func oldestHeldBack(b *Board, act Act, c Caller, at time.Time) *Summary {
	begins, kept, open := beginsWork(b, act, c.By, at), keepsFor(b, act, c, at), goalPriorities(b)
	for _, s := range b.Summaries() {
		if begins(s) && !s.isEnded(open) && kept(s) {
			return s
		}
	}
	return nil
}
