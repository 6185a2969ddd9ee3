package main

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
)

type deferCommand struct {
	ID     flow.RecordID `arg:"" help:"The discovery."`
	Until  string        `required:"" placeholder:"T" tool:"A time, or a span from now (3d); at most 90 days." help:"When somebody has to look again: a time, or a span from now (3d); at most 90 days."`
	Reason string        `required:"" help:"Why it can wait."`
}

func (c *deferCommand) Run(inv *invocation) error {
	now := inv.now().UTC().Truncate(time.Second)
	until, err := (&noteCommand{Until: c.Until}).expires(now)
	if err != nil {
		return usagef("git liza record defer "+string(c.ID)+" --until 3d --reason R", "--until: %v", err)
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActDefer, "", &flow.DeferMove{Record: c.ID, Until: until, Reason: c.Reason})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"record": c.ID, "until": until}, "%s put off until %s", c.ID, until.Format(view.Stamp))
}
