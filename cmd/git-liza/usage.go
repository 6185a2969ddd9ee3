package main

import "github.com/git-liza/git-liza/cmd/git-liza/metrics"

// usageCommand is the part of metrics that is about sessions, under its earlier name.
type usageCommand struct {
	By    string `enum:"task,role,agent,provider,model,outcome,sprint" default:"task" placeholder:"WHAT" help:"task (the default), role, agent, provider, model, outcome or sprint."`
	Since string `placeholder:"T" help:"Only sessions that ended not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
}

// Help says what metrics calls the same.
func (c *usageCommand) Help() string {
	return `The part of git liza metrics that is about sessions. With --json it has by, total
and rows: total is usage of metrics, and rows are those of metrics --by that have
sessions, without their work.`
}

func (c *usageCommand) Run(inv *invocation) error {
	since, err := parseSince(c.Since, inv.now().UTC())
	if err != nil {
		return err
	}
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	shown, err := readMetrics(inv, clone, metrics.Ask{By: metrics.By(c.By), Since: since})
	if err != nil {
		return err
	}
	used := shown.Sessions()
	return inv.answer("", used.Value(), used.Text(inv.width()))
}
