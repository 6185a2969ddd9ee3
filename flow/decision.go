package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// DecideMove is what a human decides at a checkpoint, with what follows from it.
type DecideMove struct {
	Decision string `yaml:"decision"`
	Message  string `yaml:"message"`

	Checkpoint string         `yaml:"checkpoint"` // the mark of the one that it is about
	Tasks      []board.TaskID `yaml:"tasks"`      // that are held; none: those of the goal that nobody has begun
}

func (d *DecideMove) fill(p *play) {
	d.Checkpoint = cmp.Or(d.Checkpoint, p.board.Settings().Control.Mark)
}

var decisions = []string{"CONTINUE", "ADJUST_SPECS", "ADJUST_CONTRACTS", "REPLAN", "PIVOT", "STOP"}

func inCheckpoint(p *play) *Refusal {
	if now := p.board.Settings().Control.State; now != board.Checkpoint {
		return refuse(RuleControl, "git liza checkpoint --reason R", "there is no checkpoint to decide, the board is %s", now)
	}
	return nil
}

func (d *DecideMove) check(p *play) *Refusal {
	if !slices.Contains(decisions, d.Decision) {
		return refuse(RuleForm, "git liza checkpoint decide CONTINUE --message M", "%q is no decision; there are %s", board.Clip(d.Decision), strings.Join(decisions, ", "))
	}
	hint := "git liza checkpoint decide " + d.Decision + " --message M"
	if r := present("the message", d.Message, hint); r != nil {
		return r
	}
	if now := p.board.Settings().Control.Mark; d.Checkpoint != now {
		return refuse(RuleDecision, "git liza checkpoint show", "the board is at %s now, the decision is about %s", now, board.Clip(d.Checkpoint))
	}
	goal := p.board.Goal(p.move.Goal)
	switch {
	case goal != nil && goal.Status != board.InProgress:
		return refuse(RuleGoal, "git liza goal list", "the goal %s is %s, not in progress", goal.ID, goal.Status)
	case goal == nil && (d.holds() || d.Decision == "PIVOT"):
		return refuse(RuleGoal, "git liza checkpoint decide "+d.Decision+" --goal G --message M", "several goals are in progress: the decision says of which")
	case len(d.Tasks) > 0 && !d.holds():
		return refuse(RuleForm, hint, "%s holds no tasks back", d.Decision)
	}
	for i, id := range d.Tasks {
		t := p.board.Task(id)
		switch {
		case t == nil || slices.Contains(d.Tasks[:i], id):
			return refuse(RuleNotFound, "git liza list", "there is no task %s, or it is named twice", id)
		case t.Goal != goal.ID:
			return refuse(RuleGoal, "git liza goal list", "%s belongs to the goal %s, and the decision is about %s", id, t.Goal, goal.ID)
		case t.Status.Final():
			return refuse(RuleFinal, "git liza list", "%s is %s, and nobody claims it", id, t.Status)
		}
	}
	return nil
}

// holds reports whether tasks wait for the planner after the decision.
func (d *DecideMove) holds() bool { return d.Decision == "REPLAN" || d.Decision == "ADJUST_SPECS" }

// pivots reports whether the goal that the decision is about waits for the one that
// takes its place while the board runs for others.
func (d *DecideMove) pivots(p *play) bool {
	return d.Decision == "PIVOT" && len(p.board.GoalsInProgress()) > 1 && !p.board.Breaker().Tripped
}

func (d *DecideMove) apply(p *effect) {
	c := p.board.Settings().Control
	p.change(func(s *board.Settings) {
		s.Control.Decision, s.Control.Message = d.Decision, d.Message
		if d.Decision == "PIVOT" {
			s.Control.Goal = p.move.Goal
		}
	})
	if d.holds() || d.pivots(p.play) {
		editGoal(p, func(g *board.Goal) {
			g.Hold = &board.Hold{Checkpoint: cmp.Or(c.Mark, p.board.Settings().Checked.Mark), Decision: d.Decision, Message: d.Message, Tasks: d.Tasks,
				By: p.move.By, At: p.move.At}
		})
	}
	switch {
	case d.Decision == "STOP":
		p.change(func(s *board.Settings) {
			s.Control = board.ControlState{State: board.Stopped, Before: board.Checkpoint, Reason: d.Message, By: p.move.By, At: p.move.At,
				Decision: d.Decision, Message: d.Message, Mark: c.Mark, Goal: c.Goal}
		})
	case (d.holds() || d.pivots(p.play) || d.Decision == "CONTINUE") && !p.board.Breaker().Tripped:
		setSprintPhase(p, board.InProgress)
		setControl(p, board.Running, d.Message)
	}
}
