package main

import (
	"os"

	"github.com/git-liza/git-liza/flow"
)

type gateOutageCommand struct {
	Gate  string `arg:"" help:"A gate of the board."`
	Host  string `placeholder:"NAME" help:"Default: this machine."`
	Error string `placeholder:"TEXT" help:"Why it cannot run there."`
	Over  bool   `help:"It runs there again, or the machine is gone."`
}

// Help explains what an outage is.
func (c *gateOutageCommand) Help() string {
	return `A gate that cannot run, because its program is missing or the disk is full,
blames no task. Supervisors record it for their machine, and wait; a second
machine with the same gate makes them stop at a checkpoint.`
}

func (c *gateOutageCommand) Run(inv *invocation) error {
	m := &flow.OutageMove{Gate: c.Gate, Host: c.Host, Error: c.Error, Over: c.Over}
	if m.Host == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		m.Host = host
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActOutage, "", m)
	if err != nil {
		return err
	}
	said := "cannot run on " + m.Host
	if m.Over {
		said = "runs on " + m.Host + " again"
	}
	return inv.result(r, map[string]any{"gate": m.Gate, "host": m.Host, "over": m.Over}, "gate %s %s", m.Gate, said)
}
