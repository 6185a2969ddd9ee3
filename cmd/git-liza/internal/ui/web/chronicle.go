package web

import (
	"context"
	"errors"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A chronicle has the timeline of one chain of moves, which it reads when a page first asks
// for it, and then only what is new.
type chronicle struct {
	mu   sync.Mutex
	tip  flow.ObjectID
	line *view.Timeline
}

// at calls use with the timeline of the moves up to a state. Nobody else uses it then.
func (c *chronicle) at(ctx context.Context, clone *work.Clone, tip flow.ObjectID, use func(*view.Timeline)) error {
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
func (c *chronicle) read(ctx context.Context, clone *work.Clone, tip flow.ObjectID) error {
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
