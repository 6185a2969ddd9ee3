package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type goalShowCommand struct {
	ID    board.GoalID `arg:"" optional:"" help:"Default: the current goal."`
	Level *int         `placeholder:"N" help:"One level of it alone, with the output of its gates."`
}

func (c *goalShowCommand) Run(inv *invocation, l look) error {
	id, err := aboutGoal(inv, l.clone, l.reading.Board, c.ID)
	if err != nil {
		return err
	}
	g := l.reading.Board.Goal(id)
	if g == nil {
		return noGoal(l.reading.Board, id)
	}
	levels := view.Levels(l.reading.Board, id)
	if c.Level != nil {
		if *c.Level < 1 || *c.Level > len(levels) {
			return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal show " + string(id), Reason: fmt.Sprintf("%s has no level %d", id, *c.Level)}
		}
		one := levels[*c.Level-1]
		return inv.answer("", one, view.LevelText(one))
	}
	return l.showGoal(inv, g, levels)
}

// showGoal prints a goal with what is below it.
func (l look) showGoal(inv *invocation, g *board.Goal, levels []view.Level) error {
	uncounted, err := l.uncounted(inv.ctx, board.ActGoal, g.ID, g.Created, g.Ended)
	if err != nil {
		return err
	}
	phase := view.PhaseOf(l.reading.Board, g.ID)
	data := view.ObjectOf(g).With("uncounted", uncounted).With("levels", append([]view.Level{}, levels...)).
		With("about", phase.About).With("missing", phase.Missing).With("gates", phase.Gates).With("next", phase.Next)
	text := view.GoalText(l.reading.Board, g, uncounted)
	if g.Phase != "" {
		text += "\n" + phase.Text(inv.width())
	}
	if len(levels) > 0 {
		text += "\n" + view.LevelTable(levels).Text(inv.width())
	}
	if g.Loop != nil {
		report, err := readLoop(inv, l.clone, g.ID)
		if err != nil {
			return err
		}
		data, text = data.With("stories", report.Stories).With("limit", report.Limit), text+"\n"+report.Text(inv.width())
	}
	return l.answer(inv, data, text)
}
