package boards

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/killpoint"
	"github.com/git-liza/git-liza/internal/torture"
)

// A migration that is killed at a file operation, its own or one of any git that it
// runs, leaves the board of before or the migrated one. Either is sound, and repeating
// the command completes it.
func TestKilledMigration(t *testing.T) {
	t.Parallel()
	killMigrations(t, 3)
}

// TestTortureKilledMigration kills at more of the operations, or at each.
func TestTortureKilledMigration(t *testing.T) {
	t.Parallel()
	torture.Only(t)
	killMigrations(t, 20)
}

func killMigrations(t *testing.T, few int) {
	dir := unpackBoard(t, goldens[0])
	_, tip, at := openBoard(t, dir)
	kept := filepath.Join(filepath.Dir(dir), "kept")
	require.NoError(t, os.CopyFS(kept, os.DirFS(dir)))
	env := environment(t, present, "LIZA_NOW="+at.Add(time.Minute).Format(time.RFC3339))
	run := func(point int) killpoint.Ended {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.CopyFS(dir, os.DirFS(kept)))
		return killpoint.Trace(t, killpoint.Run{Args: []string{filepath.Join(present, "git-liza"), "migrate", "--yes", "--anyway"}, Dir: dir, Env: env, At: point})
	}
	whole := run(0)
	require.Zero(t, whole.Code, whole.Output)
	all := len(whole.Operations)
	require.Equal(t, 1, migrations(t, dir))
	require.Greater(t, all, few)
	for _, n := range torture.Points(all, few) {
		killed := run(n).Operations
		what := killed[len(killed)-1]
		made := migrations(t, dir)
		require.Equal(t, string(tip), gittest.Git(t, dir, "rev-parse", fmt.Sprintf("%s~%d", layout.State, made)), what)
		liza(t, present, dir, at.Add(2*time.Minute), "note", "The next command")
		liza(t, present, dir, at.Add(3*time.Minute), "migrate", "--yes", "--anyway")
		require.Equal(t, 1, migrations(t, dir), what)
		liza(t, present, dir, at.Add(4*time.Minute), "fsck", "--full")
		gittest.Git(t, dir, "fsck", "--no-dangling")
	}
}

// migrations counts the migrations in the log of a clone.
func migrations(t *testing.T, dir string) int {
	t.Helper()
	store, tip, _ := openBoard(t, dir)
	count := 0
	require.NoError(t, store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Move.Act == flow.ActMigrate {
			count++
		}
		return true, nil
	}))
	return count
}

// Of two commands that migrate at once, on one clone or on two clones of a server, one
// makes the move; the other finds that the board has the new rules.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	atOnce := func(t *testing.T, at time.Time, dirs ...string) {
		t.Helper()
		outs, errs := make([]string, len(dirs)), make([]error, len(dirs))
		var both sync.WaitGroup
		for i, dir := range dirs {
			cmd := command(t, present, dir, at, "migrate", "--yes", "--anyway")
			both.Go(func() {
				out, err := cmd.CombinedOutput()
				outs[i], errs[i] = string(out), err
			})
		}
		both.Wait()
		for i := range dirs {
			require.NoError(t, errs[i], outs[i])
			require.Contains(t, outs[i], fmt.Sprintf("the board has rules version %d", flow.RulesVersion))
		}
	}
	t.Run("one clone", func(t *testing.T) {
		t.Parallel()
		dir := unpackBoard(t, goldens[0])
		_, tip, at := openBoard(t, dir)
		atOnce(t, at.Add(time.Minute), dir, dir, dir, dir)
		require.Equal(t, string(tip), gittest.Git(t, dir, "rev-parse", layout.State+"~1"))
		liza(t, present, dir, at.Add(time.Minute), "fsck", "--full")
	})
	t.Run("two clones", func(t *testing.T) {
		t.Parallel()
		server := newServer(t, present)
		first := unpackBoard(t, goldens[1])
		_, tip, _ := openBoard(t, first)
		out, err := pushBoard(t, present, goldens[1], first, server)
		require.NoError(t, err, "%s", out)
		gittest.Git(t, first, "remote", "add", "origin", server)
		second := filepath.Join(t.TempDir(), "second")
		require.NoError(t, os.CopyFS(second, os.DirFS(first)))
		at := time.Now()
		for _, dir := range []string{first, second} {
			liza(t, present, dir, at, "sync", "--set", "origin")
		}
		atOnce(t, at, first, second)
		for _, dir := range []string{first, second} {
			liza(t, present, dir, at, "sync")
			require.Equal(t, 1, migrations(t, dir))
			require.Equal(t, gittest.Git(t, server, "rev-parse", layout.State), gittest.Git(t, dir, "rev-parse", layout.State))
		}
		require.Equal(t, string(tip), gittest.Git(t, server, "rev-parse", layout.State+"~1"))
		liza(t, present, server, at, "fsck", "--full")
	})
}
