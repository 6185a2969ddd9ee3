package proc_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// Who connected and has ended is not taken for a process that got its number afterwards.
func TestAPeerWhoseNumberIsUsedAgain(t *testing.T) {
	t.Parallel()
	guarded := shell(t, "echo begun; exec cat block")
	guarded.Bound, guarded.Records, guarded.Mark = true, filepath.Join(guarded.Dir, "records"), &proc.Mark{Words: []string{"word"}}
	begun := make(chan struct{})
	guarded.Output = onWrite(func(p []byte) (int, error) { close(begun); return len(p), nil })
	goOn(t, guarded)
	<-begun

	l, err := proc.Listen("unix", guarded.Dir, "socket")
	require.NoError(t, err)
	defer l.Close()
	client := exec.Command(os.Args[0])
	client.Env = append(os.Environ(), "PROC_TEST_CONNECT="+guarded.Dir)
	_, err = client.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, client.Start())
	conn, err := l.AcceptUnix()
	require.NoError(t, err)
	defer conn.Close()
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			var handle int
			if handle, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); err == nil {
				unix.Close(handle)
			}
		})
		if err != nil {
			client.Process.Kill()
			_ = client.Wait()
			t.Skipf("this kernel does not hold on to who connected: %v", err)
		}
	}
	peer, err := proc.PeerOf(conn)
	require.NoError(t, err)
	require.Equal(t, client.Process.Pid, peer.PID)
	marks, doubtful, err := proc.AbovePeer(guarded.Records, peer)
	require.NoError(t, err)
	require.Empty(t, marks)
	require.Empty(t, doubtful, "it lives, and is seen to be in no session")

	require.NoError(t, client.Process.Kill())
	_ = client.Wait()
	next := processNumbered(t, peer.PID)
	defer next()
	later, err := proc.PeerOf(conn)
	require.NoError(t, err)
	for _, p := range []proc.Peer{peer, later} {
		_, doubtful, err = proc.AbovePeer(guarded.Records, p)
		require.NoError(t, err)
		require.Len(t, doubtful, 1)
	}
}

// goOn runs a command until the test ends.
func goOn(t *testing.T, c proc.Command) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = proc.Run(t.Context(), c)
	}()
	t.Cleanup(func() { <-done })
}

// processNumbered starts a process with a number that no process has, and returns what ends
// it. The test is skipped where nobody may choose a number.
func processNumbered(t *testing.T, pid int) (end func()) {
	t.Helper()
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0o644); err != nil {
			t.Skipf("nobody may choose the number of a process here: %v", err)
		}
		c := exec.Command("cat")
		c.Stdout = io.Discard
		in, err := c.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		end := func() { in.Close(); _ = c.Wait() }
		if c.Process.Pid == pid {
			return end
		}
		end()
	}
	t.Skip("others took the number each time")
	return nil
}
