package worktrees

import (
	"context"
	"strings"
)

// Private calls f with the folder of a private checkout of commit, and removes the
// checkout afterwards, along with those that dead processes have left. Git works in it,
// and its HEAD is detached; no hook is run. The error is f's, or says why there is no
// checkout.
func (t *Trees) Private(ctx context.Context, commit ID, f func(dir string) error) error {
	if err := t.sweepUndone(ctx); err != nil {
		return err
	}
	held, release, err := t.scratch.holdName(undonePrefix + gatePrefix)
	if err != nil {
		return err
	}
	defer release()
	gate := strings.TrimPrefix(held, undonePrefix)
	// The next call removes what cannot be removed now; f's answer stands.
	defer func() { _ = t.discardHeld(ctx, gate) }()
	tree, err := t.makeHeld(ctx, checkout{name: gate, commit: commit})
	if err != nil {
		return err
	}
	return f(tree.Path)
}

// gatePrefix is the beginning of the names of private checkouts.
const gatePrefix = ".gate-"
