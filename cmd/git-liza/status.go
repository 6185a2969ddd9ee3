package main

import "github.com/git-liza/git-liza/flow"

type statusCommand struct {
	Goal flow.GoalID `placeholder:"G" help:"Only this goal and its tasks; default: all, and the goal of git liza focus, else the current one, in full."`
}

func (c *statusCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	if l.About, err = chooseGoal(inv).about(l.Clone, l.Board, c.Goal); err != nil {
		return err
	}
	l.Only = c.Goal != ""
	tasks := l.Board.Tasks()
	if err := l.findLocal(inv, tasks); err != nil {
		return err
	}
	status := l.Status(tasks)
	if err := l.Board.Err(); err != nil {
		return err
	}
	accent, err := accentOf(inv, l.Repo)
	if err != nil {
		return err
	}
	return inv.answer("", status, status.Text(inv.width(), accent))
}
