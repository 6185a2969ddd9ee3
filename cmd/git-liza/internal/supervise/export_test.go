package supervise

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// RenewLease renews the lease of the clone's actor on a task as the session of a supervisor does
// whose board is on the remote, and returns the shortest time until the next renewal.
func RenewLease(ctx context.Context, clone *work.Clone, remote string, limits Limits, t *board.Task) time.Duration {
	w := &worker{registration: &registration{rush: &Rush{Limits: limits}, clone: clone}}
	w.rush.link.remote = remote
	return w.renewLease(ctx, &assignment{task: t})
}
