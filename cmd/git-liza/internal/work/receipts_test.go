package work

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestResultOf(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]board.Result{
		"true": board.Pass, "exit 3": board.Fail, "kill -9 $$": board.Fail, "no-such-program-here": board.Errored, "exit 126": board.Errored,
		"while :; do sleep 1; done": board.TimedOut,
	} {
		path, args := proc.Shell(command)
		wall := time.Minute
		if want == board.TimedOut {
			wall = 50 * time.Millisecond
		}
		r, err := proc.Run(t.Context(), proc.Command{Path: path, Args: args, Dir: t.TempDir(), Env: os.Environ(), Wall: wall, Grace: time.Second})
		require.NoError(t, err)
		require.Equal(t, want, resultOf(r), command)
	}
}

func TestReceiptsThatAreFound(t *testing.T) {
	t.Parallel()
	repo, err := git.Open(t.Context(), gittest.Seeded(t))
	require.NoError(t, err)
	rs := &receipts{repo, &mover{environ: []string{"PATH=/bin", "LANG=C"}}, &sync.Map{}}
	gates := []board.Gate{{Name: "build", Command: "make"}, {Name: "unit", Command: "make test"}}
	tree := board.ObjectID("9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4")
	r := board.Receipt{Gate: "unit", Command: "make test", Tree: tree, Result: board.Fail, Exit: 1, By: "coder-1", Environment: rs.environment()}
	rs.keep(gates, r, false)
	_, found := rs.find(gates, tree)
	require.False(t, found, "a failure is not used again")
	r.Result, r.Exit = board.Pass, 0
	rs.keep(gates, r, true)
	kept, found := rs.find(gates, tree)
	require.True(t, found)
	require.Equal(t, r, kept.receipt)
	require.True(t, kept.left)
	for name, one := range map[string]struct {
		rs    *receipts
		gates []board.Gate
		tree  board.ObjectID
	}{
		"without the gate before": {rs, gates[1:], tree},
		"another command":         {rs, []board.Gate{gates[0], {Name: "unit", Command: "true"}}, tree},
		"another tree":            {rs, gates, "0f91405c3d2b97f315c1e0a44d2b97f315c1e0a4"},
		"another environment":     {&receipts{repo, &mover{environ: []string{"PATH=/bin", "LANG=de"}}, rs.kept}, gates, tree},
	} {
		_, found := one.rs.find(one.gates, one.tree)
		require.False(t, found, name)
	}
	require.Len(t, rs.environment(), 40)
}

func TestStampOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b.txt")
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o755))
	before := stampOf(dir)
	require.Equal(t, before, stampOf(dir))
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o600))
	made := stampOf(dir)
	require.NotEqual(t, before, made)
	require.NoError(t, os.Chmod(file, 0o700))
	require.NotEqual(t, made, stampOf(dir))
	require.NoError(t, os.Remove(file))
	require.Equal(t, before, stampOf(dir))
}
