package main

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// steer makes a move on the control state and prints the new state.
func (inv *invocation) steer(act flow.Act, detail flow.Detail) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, act, "", detail)
	if err != nil {
		return err
	}
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
	return inv.result(r, viewControl(c), "%s", line)
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
}

func viewControl(c flow.ControlState) controlView {
	return controlView{Control: c.State, Before: c.Before, Reason: c.Reason, By: c.By, At: c.At, Decision: c.Decision, Message: c.Message}
}
