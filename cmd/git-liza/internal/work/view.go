package work

import (
	"context"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The intervals between reads of the state ref: a read opens one small file.
// They grow while nothing happens, and always allow an answer within half a
// second.
const (
	QuickLook = 30 * time.Millisecond // the shortest time between two looks
	slowLook  = 300 * time.Millisecond
)

// A View is the current tip of the blackboard, shared by all watchers in a
// process.
type View struct {
	repo *git.Repo

	mu      sync.Mutex
	tip     board.ObjectID // "" if it cannot be read; a read of the board returns the error
	changed chan struct{}  // closed when tip is no longer the tip
}

// Watch begins to watch the tip, until ctx is done.
func Watch(ctx context.Context, repo *git.Repo) *View {
	v := &View{repo: repo, changed: make(chan struct{})}
	v.look(ctx)
	go func() {
		for pause := QuickLook; git.Wait(ctx, pause) == nil; {
			pause = min(pause+pause/4, slowLook)
			if v.look(ctx) {
				pause = QuickLook
			}
		}
	}()
	return v
}

func (v *View) look(ctx context.Context) bool {
	tip, err := v.repo.Refs.Resolve(ctx, layout.State)
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

// Now returns the tip, "" if it cannot be read, and a channel that is closed when the tip
// changes.
func (v *View) Now() (board.ObjectID, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tip, v.changed
}

// Poll calls look until ctx is done. It waits the shortest time after a change
// of the board, even one of this process, and half of that after a look with
// news. Without changes the waits grow up to the longest time.
func (v *View) Poll(ctx context.Context, shortest, longest time.Duration, look func() (news bool)) {
	for pause := shortest; v.dormant(ctx, shortest, &pause); pause = min(2*pause, longest) {
		if look() {
			pause = shortest / 2
		}
	}
}

// dormant waits until the next look is due. A change of the board restarts
// the wait with the shortest time. It returns false when ctx is done.
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
