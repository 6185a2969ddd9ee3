package web

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// histories are those of the tasks whose pages were asked for, so that a page that is made
// anew after a move reads only what is new.
type histories struct {
	mu   sync.Mutex
	kept map[board.TaskID]taskHistory
}

// A taskHistory is the moves that changed a task, up to a state.
type taskHistory struct {
	tip   board.ObjectID
	moves []view.Entry // oldest first; nobody changes them
}

// mostHistories is of how many tasks they are kept.
const mostHistories = 20

func (h *histories) find(id board.TaskID) taskHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept[id]
}

func (h *histories) keep(id board.TaskID, one taskHistory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept == nil || len(h.kept) == mostHistories {
		h.kept = map[board.TaskID]taskHistory{}
	}
	h.kept[id] = one
}

// historyOf returns all moves that changed a task up to the state that a page shows, oldest
// first.
func historyOf(v *visit, id board.TaskID) ([]view.Entry, error) {
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

// A chronicle has the timeline of one chain of moves, which it reads when a page first asks
// for it, and then only what is new.
type chronicle struct {
	mu   sync.Mutex
	tip  board.ObjectID
	line *view.Timeline
}

// at calls use with the timeline of the moves up to a state. Nobody else uses it then.
func (c *chronicle) at(ctx context.Context, clone *work.Clone, tip board.ObjectID, use func(*view.Timeline)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line == nil || c.tip != tip {
		if err := c.read(ctx, clone, tip); err != nil {
			return err
		}
	}
	use(c.line)
	return nil
}

// read adds the moves up to a state; after an error the next call begins anew.
func (c *chronicle) read(ctx context.Context, clone *work.Clone, tip board.ObjectID) error {
	line, from := c.line, c.tip
	c.line, c.tip = nil, ""
	if line == nil {
		line = view.NewTimeline()
	}
	err := clone.Store.Steps(ctx, from, tip, func(s gitstore.Step) error { line.Add(s); return nil })
	if from != "" && errors.Is(err, gitstore.ErrNoState) { // of another chain, or of one that was repaired
		line = view.NewTimeline()
		err = clone.Store.Steps(ctx, "", tip, func(s gitstore.Step) error { line.Add(s); return nil })
	}
	if err != nil {
		return err
	}
	c.line, c.tip = line, tip
	return nil
}

// readTimeline calls use with the timeline up to the state that a page shows.
func readTimeline(v *visit, use func(view.Reading, *view.Timeline)) error {
	r, err := v.look()
	if err != nil {
		return err
	}
	kept := &v.server.now
	if v.frame.Past {
		kept = &v.server.then
	}
	return kept.at(v.request.Context(), v.reader.clone, r.Tip, func(t *view.Timeline) { use(r, t) })
}
