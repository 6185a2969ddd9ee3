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

// bookFile keeps what was counted of the moves. It is derived from them and safe to
// delete.
func bookFile(c *Clone) string {
	return filepath.Join(c.Repo.CommonDir(), layout.Private, "cache", "metrics")
}

// ReadBook returns what all moves of the board say for metrics. Moves that an earlier
// call counted, in this process or another, are not read again.
func ReadBook(ctx context.Context, c *Clone) (*metrics.Book, error) {
	tip, err := c.Store.Tip(ctx)
	if err != nil {
		return nil, err
	}
	return ReadBookAt(ctx, c, tip)
}

// ReadBookAt is [ReadBook] up to a state, for while the newest one cannot be read.
func ReadBookAt(ctx context.Context, c *Clone, tip flow.ObjectID) (*metrics.Book, error) {
	b := &metrics.Book{}
	if data, err := os.ReadFile(bookFile(c)); err == nil {
		if known, err := metrics.Decode(data); err == nil {
			b = known
		}
	}
	if b.Tip() == tip {
		return b, nil
	}
	add := func(s gitstore.Step) error { b.Add(s); return nil }
	err := c.Store.Steps(ctx, b.Tip(), tip, add)
	if errors.Is(err, gitstore.ErrNoState) { // of another chain, or of one that was repaired
		b = &metrics.Book{}
		err = c.Store.Steps(ctx, "", tip, add)
	}
	if err != nil {
		return nil, err
	}
	_ = git.ReplaceFile(bookFile(c), b.Encode()) // a failure costs time only
	return b, nil
}

// ReadPace returns the pace of work in the last book that was kept here, the zero value
// if none was. It reads no move.
func ReadPace(c *Clone) metrics.Pace {
	f, err := os.Open(bookFile(c))
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
