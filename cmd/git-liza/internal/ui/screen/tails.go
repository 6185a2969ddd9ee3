package screen

import (
	"context"
	"maps"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

// lookAtTails is how often it is looked whether agents printed more.
const lookAtTails = time.Second

// tails are the last lines that agents printed.
type tails map[board.AgentID][]string

// A tailWatcher looks at what the agents print that are on the screen.
type tailWatcher struct {
	wanted atomic.Pointer[[]view.Agent]
	wake   chan struct{}
}

// want says of which agents the output is shown.
func (w *tailWatcher) want(list []view.Agent) {
	was := w.wanted.Swap(&list)
	if was == nil || len(*was) < len(list) {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// watch sends the tails that are wanted whenever one of them changed, until ctx is done.
func (w *tailWatcher) watch(ctx context.Context, tail func(*view.Agent, string) ([]string, string), send func(tails)) {
	timer := time.NewTimer(lookAtTails)
	defer timer.Stop()
	prints, kept := map[board.AgentID]string{}, tails{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-timer.C:
		}
		timer.Reset(lookAtTails)
		list := w.wanted.Load()
		if list == nil {
			continue
		}
		changed := false
		for i := range *list {
			a := &(*list)[i]
			lines, now := tail(a, prints[a.ID])
			if now != prints[a.ID] {
				prints[a.ID], kept[a.ID], changed = now, lines, true
			}
		}
		if changed {
			send(maps.Clone(kept))
		}
	}
}
