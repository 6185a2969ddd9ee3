package main

import (
	"github.com/git-liza/git-liza/flow"
)

type breakerCommands struct {
	Reset breakerResetCommand `cmd:"" help:"Close the tripped breaker; what came before is not judged again."`
}

type breakerResetCommand struct {
	Resolution string `required:"" help:"What was done about the cause; - for standard input."`
}

func (c *breakerResetCommand) Run(inv *invocation) error {
	resolution, err := inv.text(c.Resolution)
	if err != nil {
		return err
	}
	clone, err := goalChoice{inv}.open("")
	if err != nil {
		return err
	}
	var made *flow.ResetMove // by the first look: what others record meanwhile is judged
	r, err := clone.Move(inv.ctx, flow.ActReset, "", func(b *flow.Board) (flow.Detail, error) {
		if made == nil {
			made = &flow.ResetMove{Resolution: resolution}
			if b.HasRules(3) {
				made.Upto = b.Settings().Next.Record - 1
			}
		}
		return made, nil
	})
	if err != nil {
		return err
	}
	return answerControl(inv, r)
}
