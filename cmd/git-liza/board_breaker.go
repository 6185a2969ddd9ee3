package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type breakerCommands struct {
	Reset breakerResetCommand `cmd:"" help:"Close the tripped breaker; what came before is not judged again."`
}

type breakerResetCommand struct {
	Resolution string `required:"" help:"What was done about the cause; - for standard input."`
}

func (c *breakerResetCommand) said() *string { return &c.Resolution }

func (c *breakerResetCommand) Run(inv *invocation, clone *work.Clone) error {
	var made *flow.ResetMove // by the first look: what others record meanwhile is judged
	r, err := clone.Move(inv.ctx, board.ActReset, "", func(b *board.Board) (flow.Detail, error) {
		if made == nil {
			made = &flow.ResetMove{Resolution: c.Resolution, Upto: b.Settings().Next.Record - 1}
		}
		return made, nil
	})
	if err != nil {
		return err
	}
	return answerControl(inv, r)
}

// newTripper prepares to trip the circuit breaker on behalf of the person who watches a
// board. It returns nil for the watch of an agent, whose supervisor does so.
func newTripper(inv *invocation, clone *work.Clone) (*work.Tripper, error) {
	if inv.as != "" || inv.getenv("LIZA_AGENT_ID") != "" {
		return nil, nil
	}
	off, err := readBreaker(inv.ctx, &clone.Repo.Config.Configuration)
	if err != nil {
		return nil, err
	}
	if off {
		return work.NewTripper(clone, "liza.breaker is off on this machine"), nil
	}
	by, g, err := inv.actor(clone.Repo)
	if err != nil {
		return work.NewTripper(clone, err.Error()), nil
	}
	own, err := clone.As(inv.ctx, by, g)
	return work.NewTripper(own, ""), err
}
