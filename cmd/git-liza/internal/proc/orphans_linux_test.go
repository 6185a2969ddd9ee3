package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// orphans is a process of a session that begins a chain of processes, of which the last one
// asks for whom it runs, while all others end. The mode of one of the others is how many are
// still to come and how many microseconds it lives on.
func orphans(mode string) {
	start := func(mode string, above *os.File) *exec.Cmd {
		c := exec.Command("/proc/self/exe")
		c.Env, c.ExtraFiles = append(os.Environ(), "PROC_TEST_ORPHANS="+mode), []*os.File{above}
		if err := c.Start(); err != nil {
			panic(err)
		}
		return c
	}
	if mode == "session" {
		for n := range 150 {
			_ = start(fmt.Sprint("4 ", 2*n), os.Stdin).Wait()
		}
		return
	}
	above := os.NewFile(3, "pipe")
	var left, micros int
	if _, err := fmt.Sscan(mode, &left, &micros); err != nil {
		panic(err)
	}
	if left == 0 {
		_, _ = above.Write([]byte("x"))
		marks, doubtful, err := proc.Above("records")
		if err == nil && len(marks)+len(doubtful) == 0 {
			_ = os.WriteFile("nobody's", nil, 0o666)
		}
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	start(fmt.Sprint(left-1, " ", (micros+97)%300), w)
	_, _ = r.Read(make([]byte, 1))
	_, _ = above.Write([]byte("x"))
	for end := time.Now().Add(time.Duration(micros) * time.Microsecond); time.Now().Before(end); {
	}
}

// atOnce has the race detector end a process when it ends, and not a second later.
const atOnce = "GORACE=atexit_sleep_ms=0"

// A process whose parents end while it looks who is above it is still told.
func TestAncestorsThatEnd(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = proc.Run(t.Context(), proc.Command{Path: exe, Dir: dir, Env: []string{"PROC_TEST_ORPHANS=session", atOnce}, Output: os.Stderr, Wall: never, Grace: never,
		Bound: true, Mark: &proc.Mark{Place: "here", Words: []string{"board", "coder-1", "g"}}, Records: filepath.Join(dir, "records")})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(dir, "nobody's"))
}
