package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type levelCommands struct {
	Pass levelPassCommand `cmd:"" help:"Run the gates of the next level on integration, and record whether it passed."`
}

type levelPassCommand struct {
	Goal    board.GoalID   `placeholder:"GOAL" help:"Default: the current goal."`
	Without []board.TaskID `placeholder:"ID" help:"Tasks that were taken back, or given up by an agent, and that are left out. Only a person leaves tasks out."`
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
	level := board.FindLevel(r.After, goal, r.Move.Detail.(*flow.LevelMove).Level)
	if r.Already { // the one that failed is the last
		level = board.LastLevel(r.After, goal)
	}
	if level == nil {
		return &flow.Refusal{Rule: flow.RuleLevel, Hint: "git liza goal show " + string(goal), Reason: "somebody cleared the level meanwhile"}
	}
	return inv.result(r, view.ObjectOf(level), "%s", view.LevelResult(level))
}

type goalScheduleCommand struct {
	ID      board.GoalID `arg:"" optional:"" help:"Default: the current goal."`
	Barrier string       `required:"" placeholder:"none|level" help:"none: a task begins when what it depends on is merged; level: and when all levels below its own have passed."`
	Levels  []string     `placeholder:"NAMES" help:"Names of the levels, that of level 1 first."`
}

func (c *goalScheduleCommand) Run(inv *invocation) error {
	m := &flow.ScheduleMove{Schedule: board.Schedule{Levels: c.Levels}}
	if err := m.Schedule.Barrier.UnmarshalText([]byte(c.Barrier)); err != nil {
		return usagef("git liza help goal schedule", "--barrier: %v", err)
	}
	_, r, err := inv.goalMove(c.ID, board.ActSchedule, func(*work.Clone, *board.Board) flow.Detail { return m })
	if err != nil {
		return err
	}
	return inv.goalResult(r)
}
