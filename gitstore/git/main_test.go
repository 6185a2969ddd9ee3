package git

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

func open(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(context.Background(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func objectsOf(t testing.TB, r *Repo) *Objects {
	t.Helper()
	return r.Objects(context.Background())
}

func TestMain(m *testing.M) {
	gittest.Main(m, func(task string, args []string) error {
		ctx := context.Background()
		r, err := Open(ctx, args[0])
		if err != nil {
			return err
		}
		defer r.Close()
		return gitChild(ctx, r, task, args[1:])
	})
}
