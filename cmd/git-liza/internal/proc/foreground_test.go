package proc_test

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// A program in the foreground gets this process's streams and group, and its exit
// code comes back.
func TestForeground(t *testing.T) {
	t.Parallel()
	run := func(command string, words ...string) (int, string, string) {
		var out, stderr bytes.Buffer
		path, args := proc.Shell(command)
		code, err := proc.Foreground(proc.Command{Path: path, Args: append(args, words...), Dir: t.TempDir(),
			Env: []string{"PATH=/usr/bin:/bin", "WORD=w"}, Stdin: strings.NewReader("in\n"), Output: &out}, &stderr)
		require.NoError(t, err)
		return code, out.String(), stderr.String()
	}
	code, out, stderr := run(`cat; echo "$WORD $1"; echo bad >&2; exit 3`, "sh", "two words")
	require.Equal(t, 3, code)
	require.Equal(t, "in\nw two words\n", out)
	require.Equal(t, "bad\n", stderr)

	if runtime.GOOS == "linux" {
		code, out, _ = run(`cut -d" " -f5 "/proc/$$/stat"`)
		require.Zero(t, code)
		require.Equal(t, strconv.Itoa(syscall.Getpgrp()), strings.TrimSpace(out))
	}

	code, _, _ = run(`kill -9 $$`)
	require.Equal(t, -1, code)

	_, err := proc.Foreground(proc.Command{Path: "/no/such/program"}, nil)
	require.Error(t, err)
}
