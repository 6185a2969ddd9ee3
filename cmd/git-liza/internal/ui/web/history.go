package web

import (
	"slices"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// histories are those of the tasks whose pages were asked for, so that a page that is made
// anew after a move reads only what is new.
type histories struct {
	mu   sync.Mutex
	kept map[flow.TaskID]taskHistory
}

// A taskHistory is the moves that changed a task, up to a state.
type taskHistory struct {
	tip   flow.ObjectID
	moves []view.Entry // oldest first; nobody changes them
}

// mostHistories is of how many tasks they are kept.
const mostHistories = 20

func (h *histories) find(id flow.TaskID) taskHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept[id]
}

func (h *histories) keep(id flow.TaskID, one taskHistory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept == nil || len(h.kept) == mostHistories {
		h.kept = map[flow.TaskID]taskHistory{}
	}
	h.kept[id] = one
}

// historyOf returns all moves that changed a task up to the state that a page shows, oldest
// first.
func historyOf(v *visit, id flow.TaskID) ([]view.Entry, error) {
	c, ctx, tip := v.reader.clone, v.request.Context(), v.reader.tip
	known := v.server.histories.find(id)
	if known.tip == tip {
		return known.moves, nil
	}
	// A chain that was repaired, or a state of the past, does not continue what is known.
	if continues, err := c.Repo.IsAncestor(ctx, known.tip, tip); err != nil || !continues {
		known = taskHistory{}
	}
	var newer []view.Entry
	err := c.Store.TaskMoves(ctx, id, known.tip, tip, func(e gitstore.Event) (bool, error) {
		newer = append(newer, view.EntryOf(e))
		return true, ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(newer)
	list := slices.Concat(known.moves, newer)
	if !v.frame.Past {
		v.server.histories.keep(id, taskHistory{tip, list})
	}
	return list, nil
}
