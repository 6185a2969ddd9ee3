package main

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type sprintChangelogCommand struct {
	goalFlag
	ID flow.SprintID `arg:"" optional:"" help:"Default: the open sprint, else the last one."`
}

// Help says what the text is for.
func (c *sprintChangelogCommand) Help() string {
	return `What git liza record spec-change recorded during the sprint, and what merges and adoptions
changed in the goal's spec, as a table in Markdown. When a sprint ends and a spec changed in it,
the task changelog-SPRINT is added once: it enters this text into ` + work.ChangelogFile + `.`
}

func (c *sprintChangelogCommand) Run(inv *invocation, l look) error {
	s, err := chooseSprint(inv, l, c.Goal, c.ID)
	if err != nil {
		return err
	}
	rows, err := work.SpecChanges(inv.ctx, l.Clone, l.Tip, s)
	if err != nil {
		return err
	}
	shown := view.Changelog{Goal: l.Board.Goal(s.Goal), Sprint: s.ID, Rows: rows}
	if err := l.Board.Err(); err != nil {
		return err
	}
	if len(rows) == 0 {
		inv.progress("no spec change is recorded in %s: git liza record spec-change FILE --change TEXT", s.ID)
	}
	return inv.answer("", shown.Value(), shown.Text())
}

// chooseSprint returns the sprint that a command names, or the latest of its goal.
func chooseSprint(inv *invocation, l look, goal flow.GoalID, id flow.SprintID) (*flow.Sprint, error) {
	goal, err := aboutGoal(inv, l.Clone, l.Board, goal)
	if err != nil {
		return nil, err
	}
	id = cmp.Or(id, latestSprint(l.Board, goal))
	if s := l.Board.Sprint(id); s != nil {
		return s, nil
	}
	return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no sprint " + string(id), Hint: "git liza sprint show"}
}
