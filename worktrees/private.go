package worktrees

import "context"

// Private calls f with the folder of a checkout of commit that nobody else
// uses, and removes it afterwards, along with those that dead processes have
// left. Git works in it, HEAD is detached; no hook is run. The error is f's,
// or tells why there is no checkout.
func (t *Trees) Private(ctx context.Context, commit ID, f func(dir string) error) error {
	if err := t.sweepGates(ctx); err != nil {
		return err
	}
	held, release, err := t.scratch.holdName(gatePrefix)
	if err != nil {
		return err
	}
	defer release()
	gate := gateName(held)
	// What cannot be removed now is swept by the next call; f's answer stands.
	defer func() { _ = t.dropGate(context.WithoutCancel(ctx), gate) }()
	tree, err := t.makeCheckout(ctx, record{}, checkout{name: gate, commit: commit})
	if err != nil {
		return err
	}
	return f(tree.Path)
}

// gateName is the checkout of a name that is held.
func gateName(held string) string { return "." + held }

// gatePrefix begins the names of private checkouts.
const gatePrefix = "gate-"
