package worktrees

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// nameLocks are the locks on the names of checkouts, and on what only one process of
// this program may change at a time.
type nameLocks struct {
	common string // the shared git directory
}

// stripes is how many locks the names share: enough that checkouts of different names
// rarely wait for each other, few enough for their files to stay.
const stripes = 16

// lockName waits until no other process of this program makes or removes the checkout
// called name. It refuses names as checkName does.
func (l *nameLocks) lockName(ctx context.Context, name string) (unlock func(), err error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return l.lock(ctx, lockStripe(name))
}

// lockStripe is the lock that a name shares with others.
func lockStripe(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%x", h.Sum32()%stripes)
}

func lockFile(key string) string { return "worktrees-" + key + ".lock" }

// lock takes a kernel lock, which the kernel releases when its holder dies.
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
