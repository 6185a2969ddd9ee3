package main

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

// goalFlag is the flag of commands that are about one goal.
type goalFlag struct {
	Goal flow.GoalID `placeholder:"G" tool:"Default: the current one." help:"Default: the goal of git liza goal focus, else the current one."`
}

// A goalChoice finds the goal that a command is about.
type goalChoice struct{ *invocation }

func chooseGoal(inv *invocation) goalChoice { return goalChoice{inv} }

// checkGoal refuses a goal that a command names, "" if it names none, and that the
// board lacks or cannot tell from others.
func checkGoal(b *flow.Board, goal flow.GoalID) error {
	switch {
	case goal == "":
	case b.Goal(goal) == nil:
		return cmp.Or(b.Err(), error(&flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal list", Reason: "there is no goal " + string(goal)}))
	}
	return nil
}

// about returns the goal that a command is about: the one that it names, else the
// usual one.
func (inv goalChoice) about(clone *work.Clone, b *flow.Board, named flow.GoalID) (flow.GoalID, error) {
	if named != "" {
		return named, checkGoal(b, named)
	}
	usual, err := inv.usual(clone)
	return cmp.Or(usual, b.Settings().Goal), err
}

// open opens the repository for a move on the goal that a command names.
func (inv goalChoice) open(named flow.GoalID) (*work.Clone, error) {
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
