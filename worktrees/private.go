package worktrees

import "context"

// Private calls f with the folder of a private checkout of commit, and removes the
// checkout afterwards, along with those that dead processes have left. Git works in it,
// and its HEAD is detached; no hook is run. The error is f's, or says why there is no
// checkout.
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
	// The next call removes what cannot be removed now; f's answer stands.
	defer func() { _ = t.dropGate(context.WithoutCancel(ctx), gate) }()
	tree, err := t.makeCheckout(ctx, record{}, checkout{name: gate, commit: commit})
	if err != nil {
		return err
	}
	return f(tree.Path)
}

// gateName returns the checkout's name for a held name.
func gateName(held string) string { return "." + held }

// gatePrefix is the beginning of the names of private checkouts.
const gatePrefix = "gate-"
