package main

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// steer makes a move on the control state and prints the new state.
func (inv *invocation) steer(act flow.Act, detail flow.Detail) error {
	return inv.steerGoal("", act, detail)
}

// steerGoal is steer for a move that may name a goal.
func (inv *invocation) steerGoal(goal flow.GoalID, act flow.Act, detail flow.Detail) error {
	clone, err := goalChoice{inv}.open(goal)
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, act, "", detail)
	if err != nil {
		return err
	}
	return answerControl(inv, r)
}

// answerControl prints the control state after a move on it.
func answerControl(inv *invocation, r gitstore.Result) error {
	c := r.After.Settings().Control
	line := "board " + c.State.String()
	if r.Already {
		line = "board already " + c.State.String()
	}
	if c.Reason != "" {
		line += fmt.Sprintf(" by %s: %s", c.By, c.Reason)
	}
	if c.IsDecided() {
		line += fmt.Sprintf("\ndecided %s: %s", c.Decision, c.Message)
	}
	shown := viewControl(c)
	if d, ok := r.Move.Detail.(*flow.DecideMove); ok && !r.Already {
		shown.Decided, shown.Checkpoint = d.Decision, d.Checkpoint
		if g := r.After.Goal(r.Move.Goal); g != nil && g.Hold != nil && g.Hold.Checkpoint == d.Checkpoint {
			shown.Held = len(flow.HeldTasks(r.After, g.ID))
			line += fmt.Sprintf("\n%s of %s: %d tasks of %s held back", d.Decision, d.Checkpoint, shown.Held, g.ID)
		}
	}
	if _, ok := r.Move.Detail.(*flow.ResetMove); ok {
		mark := r.After.Breaker().Watermark
		shown.Watermark = &mark
		line += fmt.Sprintf("\nwatermark %d", mark)
	}
	return inv.result(r, shown, "%s", line)
}

// controlView is the control state as JSON has it.
type controlView struct {
	Control  flow.Control `json:"control"`
	Before   flow.Control `json:"before,omitempty"` // where the board was stopped
	Reason   string       `json:"reason"`
	By       flow.Actor   `json:"by"`
	At       time.Time    `json:"at"`
	Decision string       `json:"decision,omitempty"`
	Message  string       `json:"message,omitempty"`
	Mark     string       `json:"mark,omitempty"` // of the checkpoint
	Goal     flow.GoalID  `json:"goal,omitempty"`

	Decided    string `json:"decided,omitempty"`    // what was decided just now
	Checkpoint string `json:"checkpoint,omitempty"` // about which one
	Held       int    `json:"held,omitempty"`       // tasks that wait for the answer

	Watermark *int `json:"watermark,omitempty"` // after a reset: records up to this number are not judged again
}

func viewControl(c flow.ControlState) controlView {
	return controlView{Control: c.State, Before: c.Before, Reason: c.Reason, By: c.By, At: c.At, Decision: c.Decision, Message: c.Message, Mark: c.Mark, Goal: c.Goal}
}
