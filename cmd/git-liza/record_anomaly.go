package main

import "github.com/git-liza/git-liza/flow"

type anomalyCommand struct {
	Type   flow.AnomalyType  `arg:"" tool:"What it is." help:"One of retry_loop, trade_off, spec_ambiguity, external_blocker, assumption_violated, scope_deviation, workaround, debt_created, spec_changed, hypothesis_exhaustion, spec_gap, review_deadlock, system_ambiguity, limit_reached."`
	Task   flow.TaskID       `placeholder:"ID" help:"The task it is about."`
	Detail map[string]string `mapsep:"none" placeholder:"K=V" help:"What the type asks for; repeatable."`
}

func (c *anomalyCommand) Run(inv *invocation) error {
	return inv.record(flow.ActAnomaly, flow.Anomalies, &flow.AnomalyMove{Type: c.Type, About: c.Task, Details: c.Detail})
}
