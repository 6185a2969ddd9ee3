package main

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// governCommands steer the board as a whole, and keep a clone in order.
type governCommands struct {
	Config configCommand `cmd:"" group:"Set up" help:"Show or set the board's limits and gates."`
	Doctor doctorCommand `cmd:"" group:"Set up" help:"Look for everything that would make work fail here."`
	Hooks  hooksCommands `cmd:"" group:"Set up" help:"Install, remove and show the hooks with which git itself refuses."`

	Pause      pauseCommand       `cmd:"" group:"Govern" help:"Stop new claims until somebody resumes."`
	Resume     resumeCommand      `cmd:"" group:"Govern" help:"Go back to where the board was paused, stopped or at a checkpoint."`
	Stop       stopCommand        `cmd:"" group:"Govern" help:"End the supervisors and stop new claims."`
	Checkpoint checkpointCommands `cmd:"" group:"Govern" help:"Stop new claims until a human has looked and decided."`
	Breaker    breakerCommands    `cmd:"" group:"Govern" help:"Close the circuit breaker."`
	Goal       goalCommands       `cmd:"" group:"Govern" help:"Show, set and end the goal."`
	Sprint     sprintCommands     `cmd:"" group:"Govern" help:"Show, start and close sprints."`
	Register   registerCommand    `cmd:"" group:"Govern" help:"Enter an agent by hand, or fence its earlier registration."`
	Unregister unregisterCommand  `cmd:"" group:"Govern" help:"Remove an agent that holds nothing."`
	Degrade    degradeCommand     `cmd:"" group:"Govern" help:"Give an agent no more work until it is registered anew."`
	Archive    archiveCommand     `cmd:"" group:"Govern" help:"Put final tasks aside, so that lists stay short."`
	Edit       editCommand        `cmd:"" group:"Govern" help:"Amend a document of the board in your editor."`
	Sync       syncCommand        `cmd:"" group:"Govern" help:"Fetch what other clones did; with --set, share the board through a remote."`
	Principal  principalCommands  `cmd:"" group:"Govern" help:"Who may act as whom: list, add, remove, make keys."`
	Worktree   worktreeCommands   `cmd:"" group:"Govern" help:"List the checkouts below .worktrees/, remove stale ones."`
}

// text is what was said on the command line, standard input for "-".
func (s *session) text(said string) (string, error) {
	if said != "-" {
		return said, nil
	}
	data, err := s.readInput("-")
	return string(data), err
}

// steer makes a move on the control state and prints where it led.
func (s *session) steer(act flow.Act, detail flow.Detail) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, act, "", detail)
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
	if c.State == flow.Checkpoint && c.Decision != "" {
		line += fmt.Sprintf("\ndecided %s: %s", c.Decision, c.Message)
	}
	return s.result(r, viewControl(c), "%s", line)
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

type pauseCommand struct {
	Reason string `default:"somebody wants work to wait" help:"Why; - for standard input."`
}

func (c *pauseCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	return s.steer(flow.ActPause, &flow.PauseMove{Reason: reason})
}

type resumeCommand struct {
	Reason string `default:"nothing is in the way any more" help:"Why; - for standard input."`
}

func (c *resumeCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	return s.steer(flow.ActResume, &flow.ResumeMove{Reason: reason})
}

type stopCommand struct {
	Reason string `default:"somebody wants work to end" help:"Why; - for standard input."`
}

func (c *stopCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	return s.steer(flow.ActStop, &flow.StopMove{Reason: reason})
}

type checkpointCommands struct {
	Begin  checkpointCommand `cmd:"" default:"withargs" help:"Begin a checkpoint; the default."`
	Decide decideCommand     `cmd:"" help:"Record what was decided at the checkpoint; resume then leads on."`
}

type checkpointCommand struct {
	Reason string `default:"somebody wants to look" help:"Why; - for standard input."`
}

func (c *checkpointCommand) Run(s *session) error {
	reason, err := s.text(c.Reason)
	if err != nil {
		return err
	}
	return s.steer(flow.ActCheckpoint, &flow.CheckpointMove{Reason: reason})
}

type decideCommand struct {
	Decision string `arg:"" help:"CONTINUE, ADJUST_SPECS, ADJUST_CONTRACTS, REPLAN, PIVOT or STOP."`
	Message  string `short:"m" required:"" help:"What follows from it; - for standard input."`
}

func (c *decideCommand) Run(s *session) error {
	message, err := s.text(c.Message)
	if err != nil {
		return err
	}
	return s.steer(flow.ActDecide, &flow.DecideMove{Decision: c.Decision, Message: message})
}

type breakerCommands struct {
	Reset breakerResetCommand `cmd:"" help:"Close the tripped breaker; what came before is not judged again."`
}

type breakerResetCommand struct {
	Resolution string `required:"" help:"What was done about the cause; - for standard input."`
}

func (c *breakerResetCommand) Run(s *session) error {
	resolution, err := s.text(c.Resolution)
	if err != nil {
		return err
	}
	return s.steer(flow.ActReset, &flow.ResetMove{Resolution: resolution})
}
