package main

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
)

// steer makes a move on the control state, which may name a goal, and prints the new state.
func (inv *invocation) steer(goal board.GoalID, act board.Act, detail flow.Detail) error {
	clone, err := openGoal(inv, goal)
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, act, "", detail)
	if err != nil {
		return err
	}
	return answerControl(inv, r)
}

// answerControl prints the control state after a move on it, and warnings about the
// move if it changed anything.
func answerControl(inv *invocation, r gitstore.Result, warnings ...string) error {
	c := r.After.Settings().Control
	line := "board " + saidOf(r, c.State.String())
	if c.Reason != "" {
		line += fmt.Sprintf(" by %s: %s", c.By, plaintext.Line(c.Reason))
	}
	if c.IsDecided() {
		line += fmt.Sprintf("\ndecided %s: %s", c.Decision, plaintext.Line(c.Message))
	}
	shown := controlView{Control: c.State, Before: c.Before, Reason: c.Reason, By: c.By, At: c.At, Decision: c.Decision, Message: c.Message, Mark: c.Mark, Goal: c.Goal}
	if !r.Already {
		shown.Warnings = warnings
	}
	for _, warning := range shown.Warnings {
		inv.progress("warning: %s", warning)
	}
	if d, ok := r.Move.Detail.(*flow.DecideMove); ok && !r.Already {
		shown.Decided, shown.Checkpoint = d.Decision, d.Checkpoint
		if g := r.After.Goal(r.Move.Goal); g != nil && g.Hold != nil && g.Hold.Checkpoint == d.Checkpoint {
			shown.Held = len(board.HeldTasks(r.After, g.ID))
			until := "git liza record alignment TEXT --answers " + d.Checkpoint
			if d.Decision == "PIVOT" {
				until = "git liza goal set TITLE --pivot " + string(g.ID)
			}
			line += fmt.Sprintf("\n%s of %s: %s of %s held back until %s", d.Decision, d.Checkpoint, view.Count(shown.Held, "task"), g.ID, until)
		}
	}
	if _, ok := r.Move.Detail.(*flow.ResetMove); ok {
		mark := r.After.Breaker().Watermark
		shown.Watermark = &mark
		line = "the circuit breaker is closed"
		if !c.State.IsRunning() {
			line += "; the board goes on with " + c.Onward(r.After)
		}
	}
	return inv.result(r, shown, "%s", line)
}

// controlView is the control state as JSON has it.
type controlView struct {
	Control  board.Control `json:"control"`
	Before   board.Control `json:"before,omitempty"` // where the board was stopped
	Reason   string        `json:"reason"`
	By       board.Actor   `json:"by"`
	At       time.Time     `json:"at"`
	Decision string        `json:"decision,omitempty"`
	Message  string        `json:"message,omitempty"`
	Mark     string        `json:"mark,omitempty"` // of the checkpoint
	Goal     board.GoalID  `json:"goal,omitempty"`

	Decided    string `json:"decided,omitempty"`    // what was decided just now
	Checkpoint string `json:"checkpoint,omitempty"` // about which one
	Held       int    `json:"held,omitempty"`       // tasks that wait for the answer

	Warnings []string `json:"warnings,omitempty"`

	Watermark *int `json:"watermark,omitempty"` // after a reset: records up to this number are not judged again
}
