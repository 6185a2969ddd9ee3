package main

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A signal ends a command that waits for its input, from a pipe that stays open as from
// one that nobody opens.
func TestInputIsInterrupted(t *testing.T) {
	t.Parallel()
	reads, writes, err := os.Pipe()
	require.NoError(t, err)
	defer writes.Close()
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	for _, path := range []string{"-", fifo} {
		ctx, cancel := context.WithCancel(t.Context())
		inv := &invocation{ctx: ctx, stdin: reads}
		ended := make(chan error, 1)
		go func() {
			_, err := inv.readInput(path)
			ended <- err
		}()
		cancel()
		require.Equal(t, context.Canceled, <-ended, "as it is, so that the exit code is that of Ctrl-C")
	}
}
