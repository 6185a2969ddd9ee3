package supervise

import (
	"context"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// How often the state ref is looked at: a look opens one small file. It is
// rarer the longer nothing happens, and always fast enough for an answer
// within half a second.
const (
	quickLook = 30 * time.Millisecond
	slowLook  = 300 * time.Millisecond
)

// A view is where the blackboard's tip is, for all supervisors of a process.
type view struct {
	repo *gitstore.Repo

	mu      sync.Mutex
	tip     flow.ObjectID // "" where it cannot be read; whoever reads the board learns why
	changed chan struct{} // closed when tip is no longer the tip
}

// watch begins to look; it ends with ctx.
func watch(ctx context.Context, repo *gitstore.Repo) *view {
	v := &view{repo: repo, changed: make(chan struct{})}
	v.look(ctx)
	go func() {
		for pause := quickLook; ; {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			pause = min(pause+pause/4, slowLook)
			if v.look(ctx) {
				pause = quickLook
			}
		}
	}()
	return v
}

func (v *view) look(ctx context.Context) bool {
	tip, err := v.repo.Resolve(ctx, gitstore.StateRef)
	if err != nil {
		tip = ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if tip == v.tip {
		return false
	}
	v.tip = tip
	close(v.changed)
	v.changed = make(chan struct{})
	return true
}

// now is the tip, and a channel that is closed when there is another one.
func (v *view) now() (flow.ObjectID, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tip, v.changed
}
