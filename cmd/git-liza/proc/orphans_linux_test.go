package proc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
)

// orphans is a process of a session that has children of children ask for whom they run, while
// their parents end.
func orphans(mode string) {
	start := func(mode string, extra ...*os.File) *exec.Cmd {
		c := exec.Command("/proc/self/exe")
		c.Env, c.ExtraFiles = []string{"PROC_TEST_ORPHANS=" + mode}, extra
		if err := c.Start(); err != nil {
			panic(err)
		}
		return c
	}
	switch mode {
	case "session":
		for n := range 300 {
			_ = start(strconv.Itoa(n)).Wait()
		}
	case "child":
		_, _ = os.NewFile(3, "pipe").Write([]byte("x"))
		marks, doubtful, err := proc.Above("records")
		if err == nil && len(marks)+len(doubtful) == 0 {
			_ = os.WriteFile("nobody's", nil, 0o666)
		}
	default:
		r, w, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		start("child", w)
		_, _ = r.Read(make([]byte, 1))
		n, _ := strconv.Atoi(mode)
		for end := time.Now().Add(time.Duration(n) * time.Microsecond); time.Now().Before(end); {
		}
	}
}

// A process whose parents end while it looks who is above it is still told.
func TestAncestorsThatEnd(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = proc.Run(t.Context(), proc.Command{Path: exe, Dir: dir, Env: []string{"PROC_TEST_ORPHANS=session"}, Output: os.Stderr, Wall: never, Grace: never,
		Bound: true, Mark: &proc.Mark{Place: "here", Words: []string{"board", "coder-1", "g"}}, Records: filepath.Join(dir, "records")})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(dir, "nobody's"))
}
