package supervise

import (
	"context"
	"sync"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
)

// An idleSet says which supervisors are at rest, and at which state of the board.
type idleSet struct {
	allIdle chan struct{} // has something to read when all are at rest

	mu   sync.Mutex
	tips map[*supervisor]flow.ObjectID // "" while at work
}

func (i *idleSet) markBusy(s *supervisor) { i.setTip(s, "") }

func (i *idleSet) markIdle(s *supervisor, tip flow.ObjectID) { i.setTip(s, tip) }

func (i *idleSet) setTip(s *supervisor, tip flow.ObjectID) {
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

// recheck lets the end be judged again if all are at rest.
func (i *idleSet) recheck() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signalIdle()
}

// agreedTip is the state of the board at which all supervisors found nothing to
// do.
func (i *idleSet) agreedTip() (tip flow.ObjectID, ok bool) {
	for _, at := range i.tips {
		if at == "" || tip != "" && at != tip {
			return "", false
		}
		tip = at
	}
	return tip, tip != ""
}

// idleTip is agreed for callers from outside.
func (i *idleSet) idleTip() (flow.ObjectID, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.agreedTip()
}

// hasBusyPlanner reports whether a planner is at work.
func (i *idleSet) hasBusyPlanner() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for s, at := range i.tips {
		if at == "" && s.slot.Role == flow.Planner {
			return true
		}
	}
	return false
}

// supervisors are the ids of the supervisors that are still there.
func (i *idleSet) supervisors() []*supervisor {
	i.mu.Lock()
	defer i.mu.Unlock()
	var list []*supervisor
	for s := range i.tips {
		list = append(list, s)
	}
	return list
}

// isOver judges the board once all supervisors are at rest. It is true when
// nothing can move any more; the error is then nil if all tasks are final.
func (r *Rush) isOver(ctx context.Context) (bool, error) {
	tip, ok := r.idle.idleTip()
	if !ok {
		return false, nil
	}
	if settled, err := r.remoteSettled(ctx); err != nil || !settled {
		return false, err
	}
	now, err := r.Clone.Repo.Resolve(ctx, layout.State)
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
