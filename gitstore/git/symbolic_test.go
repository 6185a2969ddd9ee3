package git

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A ref of the board's that is symbolic is none: what it stands for is neither read nor moved.
func TestSymbolicRefsOfTheBoard(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	main, err := r.Refs.Direct(ctx, "refs/heads/main")
	require.NoError(t, err)
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "later")
	gittest.Git(t, dir, "branch", "other")
	link := func(to, name string) {
		path := filepath.Join(r.CommonDir(), name)
		_ = os.Remove(path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.Symlink(to, path))
	}
	for _, name := range []string{"refs/liza/state", "refs/heads/liza/t"} {
		for how, plant := range map[string]func(){
			"file":    func() { gittest.Git(t, dir, "symbolic-ref", name, "refs/heads/other") },
			"nowhere": func() { gittest.Git(t, dir, "symbolic-ref", name, "refs/heads/none") },
			"link":    func() { link("refs/heads/other", name) },
		} {
			plant()
			other := gittest.Git(t, dir, "rev-parse", "refs/heads/other")
			_, err := r.Refs.Resolve(ctx, name)
			require.ErrorIs(t, err, ErrSymbolicRef, how)
			require.ErrorIs(t, err, ErrBrokenRef, how)
			if how == "file" {
				_, err = r.Refs.List(ctx, filepath.Dir(name))
				require.ErrorIs(t, err, ErrSymbolicRef)
			}
			broken, err := r.Refs.BrokenRefs(ctx)
			require.NoError(t, err)
			require.Len(t, broken, 1, how)
			require.Equal(t, name, broken[0].Name)
			require.NoError(t, r.Refs.SetBroken(ctx, broken[0], main))
			now, err := r.Refs.Resolve(ctx, name)
			require.NoError(t, err, how)
			require.Equal(t, main, now, how)
			require.Equal(t, other, gittest.Git(t, dir, "rev-parse", "refs/heads/other"), how)

			plant()
			require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: name, New: main, Any: true}}, "x"), how)
			now, err = r.Refs.Resolve(ctx, name)
			require.NoError(t, err, how)
			require.Equal(t, main, now, how)
			require.Equal(t, other, gittest.Git(t, dir, "rev-parse", "refs/heads/other"), how)
			gittest.Git(t, dir, "update-ref", "-d", name)
		}
	}

	// The integration branch has any name: who reads it says so.
	gittest.Git(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/other")
	_, err = r.Refs.Direct(ctx, "refs/heads/alias")
	require.ErrorIs(t, err, ErrSymbolicRef)
	require.ErrorContains(t, err, "stands for refs/heads/other")
	_, err = r.Refs.Resolve(ctx, "refs/heads/alias")
	require.NoError(t, err)
	require.NoError(t, r.Refs.RewriteBroken(ctx, "refs/heads/alias", main))
	id, err := r.Refs.Direct(ctx, "refs/heads/alias")
	require.NoError(t, err)
	require.Equal(t, main, id)
}
