package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type goalScheduleCommand struct {
	ID      flow.GoalID `arg:"" optional:"" help:"Default: the current goal."`
	Barrier string      `required:"" placeholder:"none|level" help:"none: a task begins when what it depends on is merged; level: and when all levels below its own have passed."`
	Levels  []string    `placeholder:"NAMES" help:"Names of the levels, that of level 1 first."`
}

func (c *goalScheduleCommand) Run(inv *invocation) error {
	m := &flow.ScheduleMove{Schedule: flow.Schedule{Levels: c.Levels}}
	if err := m.Schedule.Barrier.UnmarshalText([]byte(c.Barrier)); err != nil {
		return usagef("git liza help goal schedule", "--barrier: %v", err)
	}
	_, r, err := inv.goalMove(c.ID, flow.ActSchedule, func(*work.Clone, *flow.Board) flow.Detail { return m })
	if err != nil {
		return err
	}
	return inv.goalResult(r)
}
