package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line counts when it is ended: the beginning of a word is no verdict.
func TestReadLine(t *testing.T) {
	t.Parallel()
	from := bufio.NewReader(strings.NewReader("yes\na"))
	line, err := readLine(t.Context(), from)
	require.NoError(t, err)
	require.Equal(t, "yes\n", line)
	_, err = readLine(t.Context(), from)
	require.ErrorIs(t, err, io.EOF)
}

// A signal ends the waiting for a person who types nothing.
func TestReadLineEndsWithItsContext(t *testing.T) {
	t.Parallel()
	silent, keyboard, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close(); keyboard.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = readLine(ctx, bufio.NewReader(silent))
	require.ErrorIs(t, err, context.Canceled)
}
