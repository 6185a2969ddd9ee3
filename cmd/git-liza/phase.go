package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

type phaseCommands struct {
	Show phaseShowCommand `cmd:"" default:"withargs" help:"The phase of a goal, what it lacks, and where it can go; the default."`
	Next phaseNextCommand `cmd:"" help:"End the phase: run its gates, and begin the next one."`
	Back phaseBackCommand `cmd:"" help:"Go back to an earlier phase."`
}

// Help says what a phase is.
func (c *phaseCommands) Help() string {
	return `A goal with a workflow (git liza goal set TITLE --spec PATH --workflow feature) goes
through its phases one after the other. Tasks are claimed and merged in the phase that
they belong to. A phase ends when its artifacts are approved as they are, its tasks are
final, its gates pass, and a person says so where the workflow asks for one.`
}

type phaseShowCommand struct {
	goalFlag
}

func (c *phaseShowCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	goal, err := chooseGoal(inv).about(l.Clone, l.Board, c.Goal)
	if err != nil {
		return err
	}
	p := view.PhaseOf(l.Board, goal)
	if err := l.Board.Err(); err != nil {
		return err
	}
	return inv.answer("", p, p.Text(inv.width()))
}

// phaseGoal opens the repository for a move on the phase of a goal.
func phaseGoal(inv *invocation, named flow.GoalID) (*work.Clone, *flow.Board, flow.GoalID, error) {
	clone, err := chooseGoal(inv).open(named)
	if err != nil {
		return nil, nil, "", err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, nil, "", err
	}
	goal, err := chooseGoal(inv).about(clone, b, named)
	return clone, b, goal, err
}

type phaseNextCommand struct {
	goalFlag
}

func (c *phaseNextCommand) Run(inv *invocation) error {
	clone, _, goal, err := phaseGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	r, err := work.Stages{Clone: clone}.PassPhase(inv.ctx, goal)
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

type phaseBackCommand struct {
	goalFlag
	To     flow.PhaseID `placeholder:"PHASE" help:"Default: the one before."`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *phaseBackCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, b, goal, err := phaseGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	to := c.To
	if to == "" {
		if to, err = phaseBefore(b, goal); err != nil {
			return err
		}
	}
	r, err := clone.For(goal).Make(inv.ctx, flow.ActPhase, "", &flow.PhaseMove{To: to, Reason: reason})
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

// phaseBefore is the phase before that of a goal; "" without a workflow, which the rules
// refuse.
func phaseBefore(b *flow.Board, goal flow.GoalID) (flow.PhaseID, error) {
	g, w := b.Goal(goal), flow.FindWorkflow(b, goal)
	if g == nil || w == nil {
		return "", b.Err()
	}
	if w.Phases[0].Name == g.Phase {
		return "", &flow.Refusal{Rule: flow.RulePhase, Hint: "git liza phase --goal " + string(goal), Reason: fmt.Sprintf("%s is the first phase of %s", g.Phase, goal)}
	}
	var before flow.PhaseID
	for _, f := range w.Phases {
		if f.Name == g.Phase {
			break
		}
		before = f.Name
	}
	return before, nil
}

// phaseResult prints the phase in which a move left a goal.
func phaseResult(inv *invocation, r gitstore.Result) error {
	p := view.PhaseOf(r.After, movedGoal(r))
	return inv.result(r, p, "%s", p.Line())
}
