package main

import (
	"strconv"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type fixCommand struct {
	Text string `arg:"" help:"What is to be mended, in one line."`
	goalFlag
	Owns   []string `placeholder:"GLOB,…" help:"Paths that the task changes; repeatable."`
	Spec   string   `placeholder:"PATH" help:"Where it is specified; default: the spec of the goal."`
	Verify string   `placeholder:"CMD" help:"Shell command that must succeed at submit."`
	New    bool     `help:"In a goal of its own, with the workflow fix, which asks for a note on the cause."`
}

func (c *fixCommand) Run(inv *invocation) error {
	clone, b, goal, err := phaseGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	g := b.Goal(goal)
	if g == nil {
		return noGoal(b, goal)
	}
	task := board.TaskInput{Title: c.Text, DoneWhen: "it is mended, and a test shows it", Scope: "what mends it, and nothing else", Spec: g.Spec, Owns: c.Owns, Verify: c.Verify}
	if c.Spec != "" {
		task.Spec = clone.Specs.Rooted(c.Spec)
	}
	if c.New {
		if goal, err = c.open(inv, task.Spec); err != nil {
			return err
		}
	} else if board.FindWorkflow(b, goal) != nil {
		task.Phase = board.AnyPhase
	}
	clone.Named = goal
	return inv.addTasks(clone, []board.TaskInput{task}, "", nil)
}

// open sets a goal for the fix alone.
func (c *fixCommand) open(inv *invocation, spec string) (board.GoalID, error) {
	reader, err := inv.reader()
	if err != nil {
		return "", err
	}
	w, err := readWorkflow(inv, reader, "fix")
	if err != nil {
		return "", err
	}
	_, r, err := inv.goalMove("", board.ActGoal, func(_ *work.Clone, b *board.Board) flow.Detail {
		return &flow.GoalMove{ID: board.GoalID("goal-" + strconv.Itoa(b.Settings().Next.Goal)), Title: c.Text, Spec: spec, Workflow: w}
	})
	if err != nil {
		return "", err
	}
	goal := movedGoal(r)
	inv.progress("%s is the goal of this fix: git liza goal show %[1]s", goal)
	return goal, nil
}
