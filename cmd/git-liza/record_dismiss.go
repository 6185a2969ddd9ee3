package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

type recordDismissCommand struct {
	ID     flow.RecordID `arg:"" name:"record" help:"An anomaly, a discovery or a note."`
	Reason string        `required:"" help:"Why it needs nobody's attention any more."`
}

func (c *recordDismissCommand) Run(inv *invocation, clone *work.Clone) error {
	kind := ""
	r, err := clone.Move(inv.ctx, flow.ActDismissRecord, "", func(b *flow.Board) (flow.Detail, error) {
		kind = flow.RecordKind(b, c.ID)
		if kind == "" && !b.Empty() {
			return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no record " + string(c.ID), Hint: "git liza record list --all"}
		}
		return &flow.DismissRecordMove{Kind: kind, Record: c.ID, Reason: c.Reason}, nil
	})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"record": c.ID, "kind": kind}, "%s %s dismissed", kind, c.ID)
}
