package gitstore

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// childStopped takes a turn and is stopped with it, as by Ctrl-Z.
func childStopped(ctx context.Context, r *git.Repo, which string) error {
	take := r.Turns.Queue
	switch which {
	case "push.lock":
		take = r.Turns.PushTurn
	case "move.lock":
		take = func(ctx context.Context) (func(), error) { return r.Turns.TakeTurn(ctx, git.TurnToMove) }
	}
	release, err := take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // the other threads may not have stopped yet
	return err
}

// A command that waits for a stopped process names that process, once, and what
// to type.
func TestStoppedHolderIsNamed(t *testing.T) {
	t.Parallel()
	for file, what := range map[string]string{"queue.lock": "write", "push.lock": "talk to the remote"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			l.a.add("task-1")
			l.a.add("task-2")
			notices := make(chan string, 10)
			l.a.store.Repo.Notice = func(line string) { notices <- line }
			cmd := storeChild(os.Args[0], l.a.dir, "stopped", file)
			cmd.Stderr = os.Stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			defer cmd.Process.Kill()
			var stopped syscall.WaitStatus
			_, err = syscall.Wait4(cmd.Process.Pid, &stopped, syscall.WUNTRACED, nil)
			require.NoError(t, err)
			require.True(t, stopped.Stopped())

			done := make(chan error)
			for n := range 2 {
				store := OpenStore(context.Background(), l.a.store.Repo, l.a.store.clock) // each is for one goroutine
				go func() {
					_, err := store.Do(context.Background(), note(fmt.Sprint("waited ", n)))
					done <- err
				}()
			}
			select {
			case line := <-notices:
				require.Equal(t, fmt.Sprintf("waiting for process %d (git liza), which has this clone's turn to %s; if it is stopped, type fg in its terminal, or: kill -CONT %[1]d",
					cmd.Process.Pid, what), line)
			case err := <-done:
				require.FailNow(t, "nobody waited", "%v", err)
			case <-time.After(time.Minute):
				require.FailNow(t, "nobody said for whom it waits")
			}
			require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
			require.NoError(t, stdin.Close())
			require.NoError(t, <-done)
			require.NoError(t, <-done)
			require.NoError(t, cmd.Wait())
			require.Empty(t, notices, "it was said once")
		})
	}
}

// Those whose moves wait name the stopped process that has the turn to move refs, and go
// on when it dies.
func TestStoppedMoverIsNamedAndReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	notices := make(chan string, 10)
	d.store.Repo.Notice = func(line string) { notices <- line }
	first := d.waits(note("one"))
	cmd := storeChild(os.Args[0], d.dir, "stopped", "move.lock")
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var stopped syscall.WaitStatus
	_, err = syscall.Wait4(cmd.Process.Pid, &stopped, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, stopped.Stopped())

	done := make(chan error)
	go func() {
		_, err := d.store.Do(context.Background(), note("waited"))
		done <- err
	}()
	select {
	case line := <-notices:
		require.Contains(t, line, fmt.Sprintf("waiting for process %d (git liza), which has this clone's turn to move refs;", cmd.Process.Pid))
	case err := <-done:
		require.FailNow(t, "nobody waited", "%v", err)
	case <-time.After(time.Minute):
		require.FailNow(t, "nobody said for whom it waits")
	}
	require.Empty(t, first.outcome())
	require.NoError(t, cmd.Process.Kill())
	require.NoError(t, <-done)
	require.Error(t, cmd.Wait())
	require.Equal(t, outcomeLanded, first.outcome())
	d.nobodyWaits()
	d.sound()
}
