package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type checkpointCommands struct {
	Begin  checkpointCommand     `cmd:"" default:"withargs" help:"Begin a checkpoint; the default."`
	Show   checkpointShowCommand `cmd:"" help:"What happened until a checkpoint, and what was decided or is to be."`
	Decide decideCommand         `cmd:"" help:"Say what follows from the checkpoint: go on, stop, hold tasks back, wait for contracts or for a new goal."`
	Lift   liftCommand           `cmd:"" help:"Let tasks be claimed again that a decision held back."`
}

type checkpointCommand struct {
	Reason string       `default:"somebody wants to look" help:"Why; - for standard input."`
	Goal   board.GoalID `placeholder:"G" help:"The goal that it is about; default: none alone."`
}

func (c *checkpointCommand) said() *string { return &c.Reason }

func (c *checkpointCommand) Run(inv *invocation) error {
	return inv.steer(c.Goal, board.ActCheckpoint, &flow.CheckpointMove{Reason: c.Reason})
}

type decideCommand struct {
	Decision string         `arg:"" help:"CONTINUE, ADJUST_SPECS, ADJUST_CONTRACTS, REPLAN, PIVOT or STOP."`
	Message  string         `short:"m" required:"" help:"What follows from it; - for standard input."`
	Goal     board.GoalID   `placeholder:"G" help:"The goal that it is about; default: that of the checkpoint, else the only one in progress."`
	Tasks    []board.TaskID `placeholder:"IDS" help:"What REPLAN or ADJUST_SPECS hold back; default: all tasks of the goal that nobody works on."`
}

func (c *decideCommand) said() *string { return &c.Message }

func (c *decideCommand) Run(inv *invocation, l look) error {
	// The decision is about the checkpoint that is there now, whoever decides meanwhile.
	return inv.steer(c.Goal, board.ActDecide, &flow.DecideMove{Decision: c.Decision, Message: c.Message,
		Checkpoint: l.reading.Board.Settings().Control.Mark, Tasks: c.Tasks})
}

type liftCommand struct {
	Goal   board.GoalID `placeholder:"G" help:"Default: the only goal of which tasks are held back."`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *liftCommand) said() *string { return &c.Reason }

func (c *liftCommand) Run(inv *invocation) error {
	clone, err := openGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActLift, "", &flow.LiftMove{Reason: c.Reason})
	if err != nil {
		return err
	}
	if r.Already {
		return inv.result(r, map[string]any{"goal": r.Move.Goal, "released": 0}, "%s: nothing is held back", r.Move.Goal)
	}
	released := len(board.HeldTasks(r.Before, r.Move.Goal))
	return inv.result(r, map[string]any{"goal": r.Move.Goal, "released": released}, "%s: %s may be claimed again", r.Move.Goal, view.Count(released, "task"))
}
