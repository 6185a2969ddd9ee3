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

// lockStripe is the lock that a name shares with others.
func lockStripe(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%x", h.Sum32()%stripes)
}

// lock takes a kernel lock, which the kernel releases when its holder dies.
func (l *nameLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	unlock, err = git.HoldLock(ctx, l.common, "worktrees-"+key+".lock")
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("waiting for another process: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	return unlock, nil
}

func (s *scratch) path(name string) string { return filepath.Join(s.common, layout.Private, name) }
