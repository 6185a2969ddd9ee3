package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/killpoint"
	"github.com/git-liza/git-liza/internal/torture"
)

// A process that moves the refs for others is killed at one of its file operations, with
// its git or without. The others make their moves once, whatever was done of them by then.
func TestMoverKilled(t *testing.T) {
	t.Parallel()
	for name, victim := range map[string][]string{"a note": {"note", "victim"}, "a merge": {"merge-task", "task-1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := approved(t)
			d.add("task-3")
			operations := killMover(t, d.copied(), victim, 0, false)
			require.Greater(t, len(operations), 20)
			for i, n := range torture.Points(len(operations), 6) {
				killMover(t, d.copied(), victim, n, i%2 == 1)
				if torture.Thorough() {
					killMover(t, d.copied(), victim, n, i%2 == 0)
				}
			}
		})
	}
}

// The git of a move that nobody else waits for is killed with its lock made and not written,
// as for want of memory: the move is made all the same, once.
func TestGitOfALoneMoveKilled(t *testing.T) {
	t.Parallel()
	first := newDesk(t, gittest.Seeded(t))
	run := func(d *desk, at int) killpoint.Ended {
		return killpoint.Trace(t, killpoint.Run{Args: []string{os.Args[0], d.dir, "lone"}, Dir: d.dir, At: at, Alone: true, Within: "update-ref",
			Env: append(os.Environ(), "GITSTORE_TEST_CHILD=note")})
	}
	operations := run(first.copied(), 0).Operations
	made := slices.IndexFunc(operations, func(o string) bool { return strings.Contains(o, layout.State+".lock") })
	require.GreaterOrEqual(t, made, 0, operations)
	d := first.copied()
	ended := run(d, made+2) // when it is about to write
	require.True(t, ended.Killed)
	require.Zero(t, ended.Code, "%s\n%s", ended.Output, ended.Operations[made:])
	d.store = d.open()
	e, err := d.store.ReadEvent(d.at(layout.State))
	require.NoError(t, err)
	require.Equal(t, board.ActNote, e.Move.Act)
	require.Equal(t, first.at(layout.State), e.Parent)
	d.sound()
}

// copied is a copy of the desk's repository.
func (d *desk) copied() *desk {
	d.t.Helper()
	c := &desk{t: d.t, dir: filepath.Join(d.t.TempDir(), "copy"), now: d.now}
	require.NoError(d.t, os.CopyFS(c.dir, os.DirFS(d.dir)))
	c.store = c.open()
	return c
}

// killMover has a process make a move behind three that wait, kills it at an operation, and
// requires that all is well. It returns the operations up to there.
func killMover(t *testing.T, d *desk, victim []string, at int, alone bool) []string {
	t.Helper()
	start := d.at(layout.State)
	waiting := []waiter{d.waits(note("first")), d.waits(claim("task-3", "coder-9")), d.waits(note("third"))}
	ended := killpoint.Trace(t, killpoint.Run{Args: append([]string{os.Args[0], d.dir}, victim[1:]...), Dir: d.dir, At: at, Alone: alone,
		Env: append(os.Environ(), "GITSTORE_TEST_CHILD="+victim[0])})
	if !ended.Killed { // or it made fewer operations than the time before
		require.Zero(t, ended.Code, ended.Output)
	}
	for _, w := range waiting {
		require.NoError(t, w.goOn(), "killed at %s", ended.Operations[len(ended.Operations)-1])
	}
	d.now = time.Now()
	for begun := true; begun; begun = len(journals(d)) > 0 { // a lock without content counts as left over when it is a second old
		d.store = d.open()
		_, err := d.store.Do(context.Background(), note("later"))
		require.NoError(t, err)
	}
	made := map[board.Request]int{}
	require.NoError(t, d.store.Events(d.at(layout.State), func(e Event) (bool, error) {
		made[e.Move.Request]++
		return e.Parent != start, nil
	}))
	for request, times := range made {
		require.Equal(t, 1, times, request)
	}
	for _, w := range waiting {
		require.Equal(t, 1, made[w.request], "killed at %s", ended.Operations[len(ended.Operations)-1])
	}
	b := d.board()
	require.Equal(t, board.Actor("coder-9"), b.Task("task-3").Attempt.Coder)
	require.Equal(t, b.Settings().Integration.Tip, d.at(b.Settings().Integration.Ref()))
	d.nobodyWaits()
	d.sound()
	gittest.Git(t, d.dir, "fsck", "--no-dangling")
	return ended.Operations
}

// goOn is what a process does that waits.
func (w waiter) goOn() error {
	err := w.awaitLanding(context.Background(), w.awaited)
	if errors.Is(err, git.ErrRefMoved) {
		_, err = w.raceMoves(context.Background())
	}
	return err
}
