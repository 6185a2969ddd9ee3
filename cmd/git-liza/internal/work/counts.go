package work

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// countsFile keeps what was counted of the moves. It is derived from them and safe to
// delete.
func countsFile(c *Clone) string {
	return filepath.Join(c.Repo.CommonDir(), layout.Private, "cache", "metrics")
}

// ReadCounts returns what all moves of the board say for metrics. Moves that an earlier
// call counted, in this process or another, are not read again.
func ReadCounts(ctx context.Context, c *Clone) (*metrics.Counts, error) {
	tip, err := c.Store.Tip(ctx)
	if err != nil {
		return nil, err
	}
	return ReadCountsAt(ctx, c, tip)
}

// ReadCountsAt is [ReadCounts] up to a state, for while the newest one cannot be read.
func ReadCountsAt(ctx context.Context, c *Clone, tip board.ObjectID) (*metrics.Counts, error) {
	k := counter{Clone: c}
	if err := k.countTo(ctx, tip); err != nil {
		return nil, err
	}
	return k.counts, nil
}

// A counter keeps what was counted of the moves of a clone.
type counter struct {
	*Clone
	counts *metrics.Counts // nil before it counts for the first time
}

// countTo counts the moves up to a state that were not counted yet, and keeps the result in
// the file.
func (k *counter) countTo(ctx context.Context, tip board.ObjectID) error {
	if k.counts == nil {
		k.counts = &metrics.Counts{}
		if data, err := os.ReadFile(countsFile(k.Clone)); err == nil {
			if known, err := metrics.Decode(data); err == nil {
				k.counts = known
			}
		}
	}
	if k.counts.Tip() == tip {
		return nil
	}
	add := func(s gitstore.Step) error { k.counts.Add(s); return nil }
	err := k.Store.Steps(ctx, k.counts.Tip(), tip, add)
	if errors.Is(err, gitstore.ErrNoState) { // of another chain, or of one that was repaired
		k.counts = &metrics.Counts{}
		err = k.Store.Steps(ctx, "", tip, add)
	}
	if err == nil {
		_ = git.ReplaceFile(countsFile(k.Clone), k.counts.Encode()) // a failure costs time only
	}
	return err
}

// countRest is how much longer than it takes to count a burst of moves and to write the file
// a follower waits before it does so again: the file is written whole.
const countRest = 100

// keepCounts counts the moves of the board as they come, in a goroutine that ends soon after
// ctx. One process of the clone does so at a time.
func keepCounts(ctx context.Context, c *Clone, view *View) (ended <-chan struct{}, err error) {
	own, err := c.As(ctx, c.By, c.Generation)
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		(&counter{Clone: own}).follow(ctx, view)
	}()
	return over, nil
}

// follow counts the moves until ctx is done, and then the last ones.
func (k *counter) follow(ctx context.Context, view *View) {
	var release func()
	whole := false
	for ctx.Err() == nil {
		tip, changed := view.Now()
		begun := time.Now()
		if release == nil {
			release, _ = git.TryHoldLock(k.Repo.CommonDir(), "counts.lock") // without a lock nothing could be written either
		}
		if release != nil && tip != "" {
			whole = k.countTo(ctx, tip) == nil // others say what is wrong with the board
		}
		if git.Wait(ctx, max(gatherMoves, countRest*time.Since(begun))) == nil {
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
	if release == nil {
		return
	}
	defer release()
	after := context.WithoutCancel(ctx)
	if tip, err := k.Store.Tip(after); err == nil && whole {
		_ = k.countTo(after, tip)
	}
}

// ReadActive returns who worked last by the counts that were kept here last, nobody if none
// were. It reads no move.
func ReadActive(c *Clone) []metrics.Active {
	f, err := os.Open(countsFile(c))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, metrics.ActiveSize))
	if err != nil {
		return nil
	}
	active, _ := metrics.DecodeActive(data) // what another program wrote says nothing
	return active
}
