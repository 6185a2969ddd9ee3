package work

import (
	"context"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// How often the state ref is looked at: a look opens one small file. It is
// rarer the longer nothing happens, and always fast enough for an answer
// within half a second.
const (
	QuickLook = 30 * time.Millisecond // the shortest time between two looks
	slowLook  = 300 * time.Millisecond
)

// A View is where the blackboard's tip is, for all that watch it in a process.
type View struct {
	repo *git.Repo

	mu      sync.Mutex
	tip     flow.ObjectID // "" where it cannot be read; whoever reads the board learns why
	changed chan struct{} // closed when tip is no longer the tip
}

// Watch begins to look; it ends with ctx.
func Watch(ctx context.Context, repo *git.Repo) *View {
	v := &View{repo: repo, changed: make(chan struct{})}
	v.look(ctx)
	go func() {
		for pause := QuickLook; ; {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			pause = min(pause+pause/4, slowLook)
			if v.look(ctx) {
				pause = QuickLook
			}
		}
	}()
	return v
}

func (v *View) look(ctx context.Context) bool {
	tip, err := v.repo.Resolve(ctx, layout.State)
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

// Now is the tip, "" where it cannot be read, and a channel that is closed when there is another one.
func (v *View) Now() (flow.ObjectID, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tip, v.changed
}

// Poll calls look until ctx is done: the shortest time after a change on the
// board, also one of this process's own, half of that after a look that brought
// news, and then less and less often, down to the longest time.
func (v *View) Poll(ctx context.Context, shortest, longest time.Duration, look func() (news bool)) {
	for pause := shortest; v.dormant(ctx, shortest, &pause); pause = min(2*pause, longest) {
		if look() {
			pause = shortest / 2
		}
	}
}

// dormant waits until the next look is due; a change on the board begins the
// wait anew, with the shortest one. It is false when ctx is done.
func (v *View) dormant(ctx context.Context, shortest time.Duration, pause *time.Duration) bool {
	_, changed := v.Now()
	timer := time.NewTimer(*pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
		*pause = shortest
		timer.Reset(*pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
