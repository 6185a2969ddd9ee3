package work

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/cmd/git-liza/metrics"
	"github.com/git-liza/git-liza/flow"
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
func ReadCountsAt(ctx context.Context, c *Clone, tip flow.ObjectID) (*metrics.Counts, error) {
	n := &metrics.Counts{}
	if data, err := os.ReadFile(countsFile(c)); err == nil {
		if known, err := metrics.Decode(data); err == nil {
			n = known
		}
	}
	if n.Tip() == tip {
		return n, nil
	}
	add := func(s gitstore.Step) error { n.Add(s); return nil }
	err := c.Store.Steps(ctx, n.Tip(), tip, add)
	if errors.Is(err, gitstore.ErrNoState) { // of another chain, or of one that was repaired
		n = &metrics.Counts{}
		err = c.Store.Steps(ctx, "", tip, add)
	}
	if err != nil {
		return nil, err
	}
	_ = git.ReplaceFile(countsFile(c), n.Encode()) // a failure costs time only
	return n, nil
}

// ReadPace returns the pace of work in the last counts that were kept here, the zero value
// if none was. It reads no move.
func ReadPace(c *Clone) metrics.Pace {
	f, err := os.Open(countsFile(c))
	if err != nil {
		return metrics.Pace{}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, metrics.PaceSize))
	if err != nil {
		return metrics.Pace{}
	}
	p, err := metrics.DecodePace(data)
	if err != nil {
		return metrics.Pace{}
	}
	return p
}
