package supervise

import (
	"context"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

// allowCommands allows on this machine the commands that the planner put on the board,
// if the user trusts planners here. The supervisor does it because the planner may be
// kept from writing git's configuration. A failed try, such as one at a locked file, is
// repeated until the session is over.
func (w *worker) allowCommands(ctx context.Context, watch *watcher, over bool) {
	if len(watch.newCommands) == 0 || watch.assignment.capacity != flow.Plans || !w.rush.settings.wasOn(work.TrustPlanner) {
		return
	}
	err := w.clone.Trust.AllowOwn(ctx, watch.newCommands...)
	switch {
	case err == nil:
		watch.newCommands = nil
	case over:
		w.sayOnce("%s: its checks could not be allowed here: %v", w.id, err)
	}
}
