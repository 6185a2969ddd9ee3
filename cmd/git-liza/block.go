package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type blockCommand struct {
	ID        board.TaskID `arg:"" help:"The task."`
	Reason    string       `tool:"What is in the way." help:"What is in the way; it counts as a failure. Without it the task only asks."`
	Question  []string     `required:"" sep:"none" help:"What must be answered; one to three."`
	To        board.Role   `placeholder:"ROLE" tool:"Whose agents may answer, or human." help:"Whose agents may answer; human: only a person or a planner."`
	Attempted []string     `sep:"none" help:"What was tried; repeatable."`
}

func (c *blockCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Block(inv.ctx, c.ID, flow.BlockMove{Reason: c.Reason, Questions: c.Question, Attempted: c.Attempted, To: c.To})
	if err != nil {
		return err
	}
	t := r.After.Task(c.ID)
	asked := append([]board.RecordID{}, t.Block.Asked...)
	asks := t.Block.Reason == board.ReasonQuestion && t.Block.From != 0
	what := "blocked → " + t.Status.String()
	if asks {
		what = "waits for an answer: " + view.JoinIDs(asked)
	}
	what = saidOf(r, what)
	if asks && len(t.Failures) > len(r.Before.Task(c.ID).Failures) {
		what += fmt.Sprintf("; it asked %d times, so this counts as a failure", t.Asked)
	}
	return inv.result(r, map[string]any{"task": c.ID, "status": t.Status, "questions": asked, "asks": asks}, "%s %s", c.ID, what)
}
