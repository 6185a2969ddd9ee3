package main

import "github.com/git-liza/git-liza/flow"

type discoverCommand struct {
	Text      string      `arg:"" help:"What was found; - for standard input."`
	Severity  string      `required:"" placeholder:"low|medium|high|critical" help:"How bad it is."`
	Urgency   string      `default:"deferred" placeholder:"immediate|deferred" tool:"An immediate one wakes a planner." help:"An immediate one wakes a planner; default deferred."`
	During    flow.TaskID `placeholder:"TASK" help:"The task during which it was found."`
	Recommend string      `help:"What to do about it."`
}

func (c *discoverCommand) said() *string { return &c.Text }

func (c *discoverCommand) Run(inv *invocation) error {
	return inv.record(flow.ActDiscover, flow.Discovered, &flow.DiscoverMove{Text: c.Text, Severity: c.Severity, Urgency: c.Urgency,
		During: c.During, Recommend: c.Recommend})
}
