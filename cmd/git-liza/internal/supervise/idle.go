package supervise

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
)

// An idleSet knows which supervisors are idle, and at which state of the board.
type idleSet struct {
	allIdle chan struct{} // receives a value when all are idle

	mu   sync.Mutex
	tips map[*supervisor]board.ObjectID // "" while at work
}

func (i *idleSet) markBusy(s *supervisor) { i.setTip(s, "") }

func (i *idleSet) setTip(s *supervisor, tip board.ObjectID) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tips[s] = tip
	i.signalIdle()
}

func (i *idleSet) remove(s *supervisor) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.tips, s)
	i.signalIdle()
}

func (i *idleSet) signalIdle() {
	if _, ok := i.agreedTip(); !ok {
		return
	}
	select {
	case i.allIdle <- struct{}{}:
	default:
	}
}

// recheckEnd has the end judged again if all supervisors are idle.
func (i *idleSet) recheckEnd() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signalIdle()
}

// agreedTip returns the state of the board at which all supervisors found nothing to
// do.
func (i *idleSet) agreedTip() (tip board.ObjectID, ok bool) {
	for _, at := range i.tips {
		if at == "" || tip != "" && at != tip {
			return "", false
		}
		tip = at
	}
	return tip, tip != ""
}

// idleTip is agreedTip for callers that do not hold the lock.
func (i *idleSet) idleTip() (board.ObjectID, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.agreedTip()
}

// hasBusyPlanner reports whether a planner's supervisor is busy.
func (i *idleSet) hasBusyPlanner() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for s, at := range i.tips {
		if at == "" && s.capacity == board.Plans {
			return true
		}
	}
	return false
}

// supervisors returns the supervisors that have not ended.
func (i *idleSet) supervisors() []*supervisor {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Collect(maps.Keys(i.tips))
}

// isOver judges the board once all supervisors are idle. It is true when nothing can
// move any more; the error is then nil if all tasks are final.
func (r *Rush) isOver(ctx context.Context) (bool, error) {
	tip, ok := r.idle.idleTip()
	if !ok {
		return false, nil
	}
	if settled, err := r.remoteSettled(ctx); err != nil || !settled {
		return false, err
	}
	now, err := r.Clone.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil || now != tip {
		return false, err
	}
	b, err := r.Clone.Store.BoardAt(tip)
	if err != nil {
		return true, err
	}
	if r.link.remote != "" && r.othersMayMove(b) {
		return false, nil
	}
	return true, r.checkStuck(b)
}
