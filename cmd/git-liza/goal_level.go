package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type levelCommands struct {
	Pass levelPassCommand `cmd:"" help:"Run the gates of the next level on integration, and record whether it passed."`
}

type levelPassCommand struct {
	Goal    flow.GoalID   `placeholder:"GOAL" help:"Default: the current goal."`
	Without []flow.TaskID `placeholder:"ID" help:"Tasks that were taken back, or given up by an agent, and that are left out. Only a person leaves tasks out."`
}

func (c *levelPassCommand) Run(inv *invocation) error {
	clone, err := openGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	goal := c.Goal
	if goal == "" {
		b, _, err := clone.Store.Board(inv.ctx)
		if err != nil {
			return err
		}
		if goal, err = aboutGoal(inv, clone, b, ""); err != nil {
			return err
		}
	}
	r, err := work.Stages{Clone: clone}.PassLevel(inv.ctx, goal, c.Without)
	if err != nil {
		return err
	}
	level := flow.FindLevel(r.After, goal, r.Move.Detail.(*flow.LevelMove).Level)
	if r.Already { // the one that failed is the last
		level = flow.LastLevel(r.After, goal)
	}
	if level == nil {
		return &flow.Refusal{Rule: flow.RuleLevel, Hint: "git liza goal show " + string(goal), Reason: "somebody cleared the level meanwhile"}
	}
	return inv.result(r, view.ObjectOf(level), "%s", view.LevelResult(level))
}
