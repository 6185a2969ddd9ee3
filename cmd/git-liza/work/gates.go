package work

import (
	"context"

	"github.com/git-liza/git-liza/flow"
)

// SubmissionGates are the commands by which a submission can be judged without reading
// it: the task's verify, and the gates of the board.
func SubmissionGates(b *flow.Board, t *flow.Task) (gates []flow.Gate) {
	if t.Verify != "" {
		gates = append(gates, flow.Gate{Name: "verify", Command: t.Verify, Required: true, Timeout: gateTimeout})
	}
	return append(gates, b.Settings().Config.Gates...)
}

// CheckGates refuses gates of which one is not allowed to run on this machine.
func (t *Trust) CheckGates(ctx context.Context, gates []flow.Gate) error {
	allowed, err := t.Allowed(ctx)
	if err != nil {
		return err
	}
	for _, g := range gates {
		if err := allowed.Check(g.Command); err != nil {
			return err
		}
	}
	return nil
}

// RunGates runs gates one after the other in the checkout of a commit, each whatever
// became of those before, and returns their receipts. It runs none if this machine may
// not run them all.
func (c *Clone) RunGates(ctx context.Context, gates []flow.Gate, commit flow.ObjectID, dir string) ([]flow.Receipt, error) {
	if err := c.Trust.CheckGates(ctx, gates); err != nil {
		return nil, err
	}
	tree, err := c.commands.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	var receipts []flow.Receipt
	for _, g := range gates {
		r, err := c.commands.runGate(ctx, g, dir, tree)
		if err != nil {
			return receipts, err
		}
		receipts = append(receipts, r)
	}
	return receipts, nil
}

// NoGates refuses to judge a task by gates where there are none.
func NoGates(t *flow.Task) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleGate, Hint: "git liza config gates.NAME.command CMD",
		Reason: string(t.ID) + " has no verify, and the board has no gates: nothing says whether its submission is right"}
}
