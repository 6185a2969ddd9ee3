package git

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Without the queue the loser of a race is told so, and nothing else. Every
// won move stands in the chain exactly once, also while refs are packed.
func TestMoveRefsRace(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	first, err := r.Refs.Resolve(ctx, "HEAD")
	require.NoError(t, err)
	require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: layout.State, New: first}}, "init"))
	done := make(chan struct{})
	var packer, movers sync.WaitGroup
	packer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				r.Git(ctx, "pack-refs", "--all")
			}
		}
	})
	var won atomic.Int64
	failed := make(chan error, 100)
	for i := range 4 {
		movers.Go(func() {
			for j := range 8 {
				if err := climb(ctx, r, fmt.Sprintf("%d.%d", i, j), &won); err != nil {
					failed <- err
				}
			}
		})
	}
	movers.Wait()
	close(done)
	packer.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	require.EqualValues(t, 32, won.Load())
	require.Equal(t, "32", gittest.Git(t, dir, "rev-list", "--count", string(first)+".."+layout.State))
}

// climb adds one commit to the state ref, however often that takes, and a ref
// beside it.
func climb(ctx context.Context, r *Repo, name string, won *atomic.Int64) error {
	o := r.Objects(ctx)
	for {
		tip, err := r.Refs.Resolve(ctx, layout.State)
		if err != nil {
			return err
		}
		c, err := o.Commit(tip)
		if err != nil {
			return err
		}
		next, err := o.WriteCommit(fmt.Appendf(nil, "tree %s\nparent %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n%s\n", c.Tree, tip, name))
		if err != nil {
			return err
		}
		if err := o.Flush(); err != nil {
			return err
		}
		err = r.Refs.MoveRefs(ctx, []RefUpdate{{Name: layout.State, Old: tip, New: next}, {Name: "refs/liza/saved/" + name, New: next}}, name)
		if err == nil {
			won.Add(1)
			return nil
		}
		if !errors.Is(err, ErrRefMoved) {
			return err
		}
	}
}
