package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

type phaseCommands struct {
	Next phaseNextCommand `cmd:"" help:"End the phase: run its gates, and begin the next one."`
	Back phaseBackCommand `cmd:"" help:"Go back to an earlier phase."`
}

// phaseGoal opens the repository for a move on the phase of a goal.
func phaseGoal(inv *invocation, named board.GoalID) (*work.Clone, *board.Board, board.GoalID, error) {
	clone, err := openGoal(inv, named)
	if err != nil {
		return nil, nil, "", err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, nil, "", err
	}
	goal, err := aboutGoal(inv, clone, b, named)
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
	To     board.PhaseID `placeholder:"PHASE" help:"Default: the one before."`
	Reason string        `required:"" help:"Why; - for standard input."`
}

func (c *phaseBackCommand) said() *string { return &c.Reason }

func (c *phaseBackCommand) Run(inv *invocation) error {
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
	r, err := clone.For(goal).Make(inv.ctx, board.ActPhase, "", &flow.PhaseMove{To: to, Reason: c.Reason})
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

// phaseBefore is the phase before that of a goal; "" without a workflow, which the rules
// refuse.
func phaseBefore(b *board.Board, goal board.GoalID) (board.PhaseID, error) {
	g, w := b.Goal(goal), board.FindWorkflow(b, goal)
	if g == nil || w == nil {
		return "", b.Err()
	}
	if w.Phases[0].Name == g.Phase {
		return "", &flow.Refusal{Rule: flow.RulePhase, Hint: "git liza goal show " + string(goal), Reason: fmt.Sprintf("%s is the first phase of %s", g.Phase, goal)}
	}
	var before board.PhaseID
	for _, f := range w.Phases {
		if f.Name == g.Phase {
			break
		}
		before = f.Name
	}
	return before, nil
}

// reload gives a goal another workflow, or its own as the file of it is now.
func (c *goalSetCommand) reload(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, b, goal, err := phaseGoal(inv, c.ID)
	if err != nil {
		return err
	}
	g := b.Goal(goal)
	if g == nil {
		return noGoal(b, goal)
	}
	m := &flow.ReloadMove{Phase: c.Phase, Reason: reason}
	if m.Map, err = parsePhaseMap(c.Map); err != nil {
		return err
	}
	if m.Every, err = parseEvery(c.Every, g.Every); err != nil {
		return err
	}
	if m.Workflow, err = readWorkflow(inv, clone, c.Workflow); err != nil {
		return err
	}
	r, err := clone.For(goal).Make(inv.ctx, board.ActReload, "", m)
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

// noGoal says that the board lacks a goal.
func noGoal(b *board.Board, goal board.GoalID) error {
	return cmp.Or(b.Err(), error(&flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal list", Reason: "there is no goal " + string(goal)}))
}

// parsePhaseMap reads words like OLD=NEW.
func parsePhaseMap(words []string) (list []board.PhaseMap, err error) {
	for _, word := range words {
		from, to, ok := strings.Cut(word, "=")
		var pair board.PhaseMap
		if from != "none" && ok {
			err = pair.From.UnmarshalText([]byte(from))
		}
		if !ok || err != nil || pair.To.UnmarshalText([]byte(to)) != nil {
			return nil, usagef("git liza help goal set", "--map: %q is not like OLD=NEW", board.Excerpt(word, 80))
		}
		list = append(list, pair)
	}
	return list, nil
}

// parseEvery reads at what a person is asked; "" is what was.
func parseEvery(said string, was board.Every) (every board.Every, err error) {
	switch said {
	case "":
		return was, nil
	case "none":
		return 0, nil
	}
	if err := every.UnmarshalText([]byte(said)); err != nil {
		return 0, usagef("git liza help goal set", "--every: %v", err)
	}
	return every, nil
}

// phaseResult prints the phase in which a move left a goal.
func phaseResult(inv *invocation, r gitstore.Result) error {
	p := view.PhaseOf(r.After, movedGoal(r))
	return inv.result(r, p, "%s", p.Line())
}
