package main

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// goalFlag is the flag of commands that are about one goal.
type goalFlag struct {
	Goal board.GoalID `placeholder:"G" tool:"Default: the current one." help:"Default: the goal of git liza goal focus, else the current one."`
}

// checkGoal refuses a goal that a command names, "" if it names none, and that the
// board lacks or cannot tell from others.
func checkGoal(b *board.Board, goal board.GoalID) error {
	if goal == "" || b.Goal(goal) != nil {
		return nil
	}
	return noGoal(b, goal)
}

// aboutGoal returns the goal that a command is about: the one that it names, else the
// usual one.
func aboutGoal(inv *invocation, clone *work.Clone, b *board.Board, named board.GoalID) (board.GoalID, error) {
	if named != "" {
		return named, checkGoal(b, named)
	}
	usual, err := usualGoal(inv, clone)
	return cmp.Or(usual, b.Settings().Goal), err
}

// openGoal opens the repository for a move on the goal that a command names.
func openGoal(inv *invocation, named board.GoalID) (*work.Clone, error) {
	clone, err := inv.clone()
	if err != nil || named == "" {
		return clone, err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, err
	}
	clone.Named = named
	return clone, checkGoal(b, named)
}
