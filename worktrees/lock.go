package worktrees

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// nameLocks are the locks on names of checkouts, and on what processes of ours
// change one after the other.
type nameLocks struct {
	common string // the shared git directory
}

// stripes is how many locks the names share: enough that checkouts of
// different names rarely wait for each other, few enough to leave lying about.
const stripes = 16

// lockName waits until no other process of ours makes or removes the checkout
// called name; what is half-made then belongs to a dead one.
func (l *nameLocks) lockName(ctx context.Context, name string) (unlock func(), err error) {
	return l.lock(ctx, lockStripe(name))
}

// tryName takes the lock of a name if nobody has it; false if somebody has, or
// where no lock can be taken.
func (l *nameLocks) tryName(name string) (unlock func(), free bool) {
	f, err := git.OpenLock(l.common, lockFile(lockStripe(name)))
	if err != nil {
		return nil, false
	}
	if git.TryLock(f) != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}

// lockStripe is the lock that a name shares with others.
func lockStripe(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%x", h.Sum32()%stripes)
}

func lockFile(key string) string { return "worktrees-" + key + ".lock" }

// lock takes a kernel lock, which cannot outlive its holder.
func (l *nameLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	f, err := git.OpenLock(l.common, lockFile(key))
	if err != nil {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	switch err := git.AwaitLock(ctx, f); {
	case err == nil:
		return func() { f.Close() }, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("worktrees: waiting for another process: %w", err)
	default:
		return nil, fmt.Errorf("worktrees: %w", err)
	}
}

func (s *scratch) path(name string) string { return filepath.Join(s.common, layout.Private, name) }
