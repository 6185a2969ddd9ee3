package main

import (
	"fmt"
	"os"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

type agentsAddCommand struct {
	ID       board.AgentID `arg:"" help:"ROLE-NUMBER, such as coder-1."`
	Provider string        `placeholder:"P" help:"What runs it, for people to read."`
	Takeover bool          `help:"Also while the id holds a task or review."`
}

func (c *agentsAddCommand) Run(inv *invocation, clone *work.Clone) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	r, err := clone.Move(inv.ctx, board.ActRegister, "", func(b *board.Board) (flow.Detail, error) {
		return &flow.RegisterMove{Agent: c.ID, Provider: c.Provider, Host: host, Takeover: c.Takeover, Format: board.NewestFormat}, nil
	})
	if err != nil {
		return err
	}
	return inv.agentResult(r, c.ID, "registered")
}

// agentResult prints the agent's state after a move.
func (inv *invocation) agentResult(r gitstore.Result, id board.AgentID, what string) error {
	line := fmt.Sprintf("%s %s", id, what)
	if r.Already {
		line = fmt.Sprintf("%s already %s", id, what)
	}
	data := struct {
		Agent    board.AgentID `json:"agent"`
		Role     board.Role    `json:"role"`
		Provider string        `json:"provider,omitempty"`
		Task     board.TaskID  `json:"task,omitempty"`
		Review   board.TaskID  `json:"review,omitempty"`
		Degraded string        `json:"degraded,omitempty"`
	}{Agent: id, Role: id.Role()}
	if a := r.After.Agent(id); a != nil {
		data.Provider, data.Task, data.Review, data.Degraded = a.Provider, a.Task, a.Review, a.Degraded
		if a.Degraded != "" {
			line += ": " + a.Degraded
		}
	}
	return inv.result(r, data, "%s", line)
}
