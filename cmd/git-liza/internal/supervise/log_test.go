package supervise

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := openLog(dir, "coder-1")
	require.NoError(t, err)
	line := bytes.Repeat([]byte("x"), 64<<10)
	for range 40 {
		n, err := l.Write(line)
		require.NoError(t, err)
		require.Equal(t, len(line), n)
	}
	l.note("the last word\n")
	l.close()
	path := filepath.Join(dir, "liza", "log", "coder-1.log")
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.LessOrEqual(t, len(now), maxLog)
	require.True(t, strings.HasSuffix(string(now), "the last word\n"))
	old, err := os.Stat(path + ".old")
	require.NoError(t, err)
	require.LessOrEqual(t, old.Size(), int64(maxLog))
	require.GreaterOrEqual(t, old.Size()+int64(len(now)), int64(maxLog))

	again, err := openLog(dir, "coder-1")
	require.NoError(t, err)
	again.note("and more\n")
	again.close()
	now, err = os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(now), "the last word\nand more\n"), "a log is continued")
}

func TestSplitter(t *testing.T) {
	t.Parallel()
	var lines []string
	p := &splitter{to: func(line string) { lines = append(lines, line) }}
	for _, part := range []string{"one\ntw", "o\n\x1b[2Jthree", "\r\n", "rest"} {
		n, err := p.Write([]byte(part))
		require.NoError(t, err)
		require.Equal(t, len(part), n)
	}
	require.Equal(t, []string{"one", "two", "[2Jthree"}, lines)
	_, err := p.Write(bytes.Repeat([]byte("y"), maxLine))
	require.NoError(t, err)
	require.Len(t, lines, 4, "a line without an end is passed on")
}

func TestPausesDouble(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	var list []string
	for n := range 8 {
		list = append(list, l.pause(n).String())
	}
	require.Equal(t, "2s 4s 8s 16s 32s 1m0s 1m0s 1m0s", strings.Join(list, " "))
	require.Equal(t, l.MaxPause, l.pause(1000))
	list = nil
	for n := range 4 {
		list = append(list, l.pauseAfter(fmt.Errorf("origin: %w", gitstore.ErrDeclined), n).String())
	}
	require.Equal(t, "15s 30s 1m0s 1m0s", strings.Join(list, " "))
	require.Equal(t, 2*time.Second, l.pauseAfter(gitstore.ErrOffline, 0))
}

func TestReasonOfABlock(t *testing.T) {
	t.Parallel()
	require.Equal(t, " (no port is free)", moveReason(&flow.BlockMove{Reason: "no port is free\nnone", Questions: []string{"Which?"}}))
	require.Equal(t, " (asks: Which?)", moveReason(&flow.BlockMove{Questions: []string{"Which?\nOr none?"}}))
}
