package proc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/internal/gittest"
)

const (
	// Enough for a command to come to where it waits, also on a slow machine.
	limit = 2 * time.Second
	// Longer than any test may take: a test that needs this time has failed.
	never = 2 * time.Minute
)

// TestMain lets the test binary be a command that leaves its process group
// and still holds the output: there is no portable setsid(1).
func TestMain(m *testing.M) {
	if os.Getenv("PROC_TEST_ESCAPE") != "" {
		cmd := exec.Command("cat", os.Getenv("PROC_TEST_ESCAPE"))
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	if dir := os.Getenv("PROC_TEST_BOUND"); dir != "" {
		script := "exec 9>alive; (trap '' TERM; exec cat block) & echo started; cat block"
		if other := os.Getenv("PROC_TEST_SCRIPT"); other != "" {
			script = other
		}
		path, args := proc.Shell(script)
		_, err := proc.Run(context.Background(), proc.Command{Path: path, Args: args, Dir: dir, Env: os.Environ(), Output: os.Stdout, Grace: time.Second, Bound: true})
		panic(err)
	}
	if dir := os.Getenv("PROC_TEST_CONNECT"); dir != "" {
		if _, err := proc.Dial(context.Background(), "unix", dir, "socket"); err != nil {
			panic(err)
		}
		_, _ = io.ReadAll(os.Stdin)
		os.Exit(0)
	}
	if name := os.Getenv("PROC_TEST_ATTEMPT"); name != "" {
		tryAttempt(name)
	}
	if mode := os.Getenv("PROC_TEST_ORPHANS"); mode != "" {
		orphans(mode)
		os.Exit(0)
	}
	os.Exit(gittest.Run(m, gittest.ForLimits))
}

// shell is a command in a new folder with two fifos: reading from `block`
// never ends, and a witness sees any process that opened `alive` for writing.
func shell(t *testing.T, script string) proc.Command {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "block"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "alive"), 0o600))
	path, args := proc.Shell(script)
	return proc.Command{Path: path, Args: args, Dir: dir, Env: proc.Environment(os.Environ(), nil), Wall: never, Grace: never}
}

// witness returns a function that fails the test unless everybody who held
// `alive` open is gone.
func witness(t *testing.T, c proc.Command) func() {
	t.Helper()
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(filepath.Join(c.Dir, "alive")) // blocks until there is a writer
		if err == nil {
			opened <- f
		}
	}()
	return func() {
		t.Helper()
		select {
		case f := <-opened:
			defer f.Close()
			require.NoError(t, f.SetReadDeadline(time.Now().Add(never)))
			_, err := io.ReadAll(f)
			require.NoError(t, err, "a member of the group is still alive")
		case <-time.After(never):
			require.Fail(t, "nobody opened the fifo")
		}
	}
}

// bothWays runs a subtest with a command that is bound, and with one that is not.
func bothWays(t *testing.T, name string, test func(t *testing.T, bound bool)) {
	t.Helper()
	for way, bound := range map[string]bool{"": false, ", bound": true} {
		t.Run(name+way, func(t *testing.T) {
			t.Parallel()
			test(t, bound)
		})
	}
}

func run(t *testing.T, c proc.Command) proc.Result {
	t.Helper()
	result, err := proc.Run(t.Context(), c)
	require.NoError(t, err)
	return result
}

func TestHowItEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		code         int
		reason       proc.Reason
		passed       bool
		excerpt      string
	}{
		{"success", "echo out; echo err >&2", 0, proc.Exited, true, "out\nerr\n"},
		{"exit code", "echo no; exit 7", 7, proc.Exited, false, "no\n"},
		{"silence", ":", 0, proc.Exited, true, ""},
		{"signal", "kill -KILL $$", 128 + 9, proc.Signaled, false, ""},
		{"signal to the whole group", "kill -USR1 0", 128 + int(syscall.SIGUSR1), proc.Signaled, false, ""},
		{"no input", "cat; echo end", 0, proc.Exited, true, "end\n"},
		{"last words of a child", "{ cat alive >/dev/null; echo child; } & echo leader; exec 9>alive; exit 3", 3, proc.Exited, false, "leader\nchild\n"},
	} {
		bothWays(t, test.name, func(t *testing.T, bound bool) {
			c := shell(t, test.script)
			c.Bound = bound
			result := run(t, c)
			require.Equal(t, test.reason, result.Reason, result.Reason)
			require.Equal(t, test.code, result.Code)
			require.Equal(t, test.passed, result.Passed())
			require.Equal(t, test.excerpt, result.Excerpt)
			require.Positive(t, result.Duration)
			require.Less(t, result.Duration, never)
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script      string
		idle, wall, grace time.Duration
		code              int
		reason            proc.Reason
	}{
		{"idle", "exec 9>alive; echo one; cat block", limit, never, never, 128 + 15, proc.IdleLimit},
		{"wall", "exec 9>alive; cat block", 0, limit, never, 128 + 15, proc.WallLimit},
		{"wall before idle", "exec 9>alive; cat block", never, limit, never, 128 + 15, proc.WallLimit},
		{"output is no silence", "exec 9>alive; while :; do echo .; sleep 0.1; done", limit, 2 * limit, never, 128 + 15, proc.WallLimit},
		{"polite answer to TERM", "exec 9>alive; trap 'exit 0' TERM; cat block", 0, limit, never, 0, proc.WallLimit},
		{"stopped", "exec 9>alive; kill -STOP $$; cat block", 0, limit, never, 128 + 15, proc.WallLimit},
		{"ignores TERM", "exec 9>alive; trap '' TERM; cat block; cat block", 0, limit, limit, 128 + 9, proc.WallLimit},
		{"child ignores TERM", "exec 9>alive; (trap '' TERM; exec cat block) & wait", 0, limit, limit, 128 + 15, proc.WallLimit},
		{"silent child ignores TERM", "exec 9>alive; (trap '' TERM; exec cat block >/dev/null 2>&1) & exec cat block", 0, limit, never, 128 + 15, proc.WallLimit},
	} {
		bothWays(t, test.name, func(t *testing.T, bound bool) {
			c := shell(t, test.script)
			c.Idle, c.Wall, c.Grace, c.Bound = test.idle, test.wall, test.grace, bound
			allGone := witness(t, c)
			result := run(t, c)
			allGone()
			require.Equal(t, test.reason, result.Reason, result.Reason)
			require.Equal(t, test.code, result.Code)
			require.False(t, result.Passed())
			require.Less(t, result.Duration, never)
		})
	}
}

// onWrite calls itself with everything written.
type onWrite func(p []byte) (int, error)

func (f onWrite) Write(p []byte) (int, error) { return f(p) }

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := shell(t, "exec 9>alive; (exec cat block) & echo started; cat block")
	c.Output = onWrite(func(p []byte) (int, error) { cancel(); return len(p), nil })
	allGone := witness(t, c)
	result, err := proc.Run(ctx, c)
	require.NoError(t, err)
	allGone()
	require.Equal(t, proc.Canceled, result.Reason)
	require.Equal(t, 128+15, result.Code)
	require.Equal(t, "started\n", result.Excerpt)

	ran := filepath.Join(c.Dir, "ran")
	again := shell(t, "echo >"+ran)
	result, err = proc.Run(ctx, again)
	require.NoError(t, err)
	require.Equal(t, proc.Result{Code: -1, Reason: proc.Canceled}, result)
	require.NoFileExists(t, ran)
}

// Of a command that has done its work the leader alone is interrupted, and says its last words
// before anything else ends.
func TestFinished(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	c := shell(t, `trap 'kill -0 $child && echo last words; exit 1' INT; (trap 'echo told' INT TERM; while :; do :; done) & child=$!; echo ready; wait; wait`)
	c.Bound = true
	c.Output = onWrite(func(p []byte) (int, error) { cancel(proc.ErrFinished); return len(p), nil })
	result, err := proc.Run(ctx, c)
	require.NoError(t, err)
	require.Equal(t, proc.Finished, result.Reason)
	require.Equal(t, "ready\nlast words\n", result.Excerpt)
}

func TestChildrenHaveTheGraceToo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := shell(t, `(trap 'sh -c "sh -c \"echo tidied\""; exit' TERM; echo ready; while :; do :; done) & wait`)
	c.Output = onWrite(func(p []byte) (int, error) { cancel(); return len(p), nil })
	result, err := proc.Run(ctx, c)
	require.NoError(t, err)
	require.Equal(t, proc.Canceled, result.Reason)
	require.Equal(t, "ready\ntidied\n", result.Excerpt)
}

func TestLeftoversAreKilled(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"holds the output":         "exec 9>alive; (trap '' TERM HUP; exec cat block) & exit 5",
		"closed the output":        "exec 9>alive; (trap '' TERM HUP; exec cat block >/dev/null 2>&1) & exit 5",
		"grandchild":               "exec 9>alive; (trap '' TERM HUP; (cat block; :) & exit 0) & wait; exit 5",
		"holds the input it got":   "exec 9>alive; (exec cat block <&0) & exit 5",
		"stopped":                  "exec 9>alive; sh -c 'kill -STOP $$; cat block' & exit 5",
		"writes as fast as it can": "exec 9>alive; yes & exit 5",
	} {
		bothWays(t, name, func(t *testing.T, bound bool) {
			c := shell(t, script)
			c.Bound = bound
			c.Stdin = bytes.NewReader(make([]byte, 1<<20))
			allGone := witness(t, c)
			result := run(t, c)
			allGone()
			require.Equal(t, proc.Exited, result.Reason)
			require.Equal(t, 5, result.Code)
			require.Less(t, result.Duration, never)
		})
	}
}

func TestEscapeDoesNotHoldRunUp(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	c := shell(t, "")
	block := filepath.Join(c.Dir, "block")
	c.Path, c.Args = self, nil
	c.Env = append(c.Env, "PROC_TEST_ESCAPE="+block)
	result := run(t, c)
	require.Equal(t, proc.Exited, result.Reason)
	require.Less(t, result.Duration, never)

	// The escaped process reads the fifo: it ends when a writer comes and goes.
	f, err := os.OpenFile(block, os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// The commands that are bound to a killed process end with it.
func TestBoundDoesNotOutliveUs(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	c := shell(t, "")
	gone := witness(t, c)
	us := exec.Command(self)
	us.Env = append(os.Environ(), "PROC_TEST_BOUND="+c.Dir)
	out, err := us.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, us.Start())
	started := make([]byte, len("started"))
	_, err = io.ReadFull(out, started)
	require.NoError(t, err)
	require.NoError(t, us.Process.Kill())
	_ = us.Wait()
	gone()
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("text"), 0o600))
	for name, test := range map[string]struct {
		command proc.Command
		want    error
	}{
		"not on PATH":    {proc.Command{Path: "git-liza-no-such-program"}, exec.ErrNotFound},
		"no such file":   {proc.Command{Path: filepath.Join(dir, "absent")}, fs.ErrNotExist},
		"not executable": {proc.Command{Path: plain}, fs.ErrPermission},
		"no such folder": {proc.Command{Path: "sh", Dir: filepath.Join(dir, "absent")}, fs.ErrNotExist},
		"folder gone":    {proc.Command{Path: "sh", Dir: filepath.Join(dir, "absent")}, proc.ErrFolder},
		"no folder":      {proc.Command{Path: "sh", Dir: plain}, proc.ErrFolder},
	} {
		bothWays(t, name, func(t *testing.T, bound bool) {
			c := test.command
			c.Bound, c.Stdin = bound, strings.NewReader("x")
			result, err := proc.Run(t.Context(), c)
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, c.Path)
			require.ErrorContains(t, err, c.Dir)
			require.Equal(t, c.Dir != "", errors.Is(err, proc.ErrFolder))
			require.Zero(t, result)
		})
	}
}

// Not parallel: it measures what the whole process allocates.
func TestFloodCostsConstantMemory(t *testing.T) {
	const gigabyte = "1000000000"
	c := shell(t, "echo first; yes | head -c "+gigabyte+"; echo last")
	var passed int64
	c.Output = onWrite(func(p []byte) (int, error) { passed += int64(len(p)); return len(p), nil })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result := run(t, c)
	runtime.ReadMemStats(&after)

	require.True(t, result.Passed())
	require.EqualValues(t, 1_000_000_000+len("first\nlast\n"), passed)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "bytes allocated")
	require.LessOrEqual(t, len(result.Excerpt), 4096)
	require.Greater(t, len(result.Excerpt), 4000)
	require.True(t, strings.HasPrefix(result.Excerpt, "first\ny\n"))
	require.True(t, strings.HasSuffix(result.Excerpt, "y\nlast\n"))
	require.Contains(t, result.Excerpt, "[… 1000000011 bytes in all]")
}

func TestInput(t *testing.T) {
	t.Parallel()
	input := bytes.Repeat([]byte("0123456789abcde\n"), 10<<20/16)
	for _, test := range []struct{ name, script, excerpt string }{
		{"read to the end", "test $(wc -c) -eq 10485760 && echo all", "all\n"},
		{"not read", "exit 0", ""},
		{"read in part", "read line; echo $line", "0123456789abcde\n"},
		{"closed", "exec <&-; echo closed", "closed\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := shell(t, test.script)
			c.Stdin = bytes.NewReader(input)
			result := run(t, c)
			require.True(t, result.Passed())
			require.Equal(t, test.excerpt, result.Excerpt)
		})
	}
	t.Run("not read until the limit", func(t *testing.T) {
		t.Parallel()
		c := shell(t, "cat block")
		c.Stdin, c.Wall = bytes.NewReader(input), limit
		require.Equal(t, proc.WallLimit, run(t, c).Reason)
	})
	t.Run("never comes", func(t *testing.T) {
		t.Parallel()
		r, w := io.Pipe()
		defer w.Close()
		c := shell(t, "exit 0")
		c.Stdin = r
		require.True(t, run(t, c).Passed())
	})
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		c := shell(t, "cat")
		path := filepath.Join(c.Dir, "text")
		require.NoError(t, os.WriteFile(path, []byte("from a file\n"), 0o600))
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		c.Stdin = f
		require.Equal(t, "from a file\n", run(t, c).Excerpt)
	})
}

func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	writes := 0
	c := shell(t, "yes | head -c 1000000; echo end")
	c.Output = onWrite(func([]byte) (int, error) { writes++; return 0, errors.New("disk full") })
	result := run(t, c)
	require.True(t, result.Passed(), "the command must not notice")
	require.Equal(t, 1, writes)
	require.True(t, strings.HasSuffix(result.Excerpt, "end\n"))
}

func TestOutputThatBlocks(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	var once sync.Once
	release := func() { once.Do(func() { close(gate) }) }
	defer release()
	c := shell(t, "exec 9>alive; yes")
	c.Wall, c.Grace = limit, limit
	c.Output = onWrite(func(p []byte) (int, error) { <-gate; return len(p), nil })
	allGone := witness(t, c)
	result := run(t, c)
	allGone()
	require.Equal(t, proc.WallLimit, result.Reason)
}

func TestOwnGroupAndEmptyEnvironment(t *testing.T) {
	t.Parallel()
	c := shell(t, "kill -0 -$$ && echo leader")
	require.Equal(t, "leader\n", run(t, c).Excerpt)

	env, err := exec.LookPath("env")
	require.NoError(t, err)
	require.Empty(t, run(t, proc.Command{Path: env, Wall: never}).Excerpt, "nothing is inherited")
	require.Equal(t, "A=1\n", run(t, proc.Command{Path: env, Env: []string{"A=1"}, Wall: never}).Excerpt)
}

func TestReasonInWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "exited", proc.Exited.String())
	require.Equal(t, "idle limit", proc.IdleLimit.String())
	require.Equal(t, "signaled", proc.Signaled.String())
	require.Equal(t, "Reason(0)", proc.Reason(0).String())
	require.Equal(t, "Reason(7)", proc.Reason(7).String())
}

// Two streams are not mixed, but count as the words of one command.
// Who asks for the processes when a program first prints knows how by then, however early
// it prints.
func TestBegunBeforeItsOutputIsRead(t *testing.T) {
	t.Parallel()
	bothWays(t, "begun", func(t *testing.T, bound bool) {
		c := shell(t, "echo out; echo >said")
		said := filepath.Join(c.Dir, "said")
		require.NoError(t, syscall.Mkfifo(said, 0o600))
		var begun atomic.Bool
		var early bool
		c.Bound = bound
		c.Began = func(func() []string) {
			_, err := os.ReadFile(said) // until it has printed
			require.NoError(t, err)
			begun.Store(true)
		}
		c.Stdout = writer(func([]byte) { early = early || !begun.Load() })
		run(t, c)
		require.False(t, early)
		require.True(t, begun.Load())
	})
}

// A writer is called with what is written.
type writer func([]byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

func TestStdoutOfItsOwn(t *testing.T) {
	t.Parallel()
	// A line is written in two halves, with another stream's between them.
	c := shell(t, `exec 9>alive; printf '{"a":'; echo loud >&2; printf '1}\n'; (trap '' TERM; exec cat block) & exit 3`)
	var out, errs bytes.Buffer
	c.Stdout, c.Output = &out, &errs
	allGone := witness(t, c)
	result := run(t, c)
	allGone()
	require.Equal(t, 3, result.Code)
	require.Equal(t, "{\"a\":1}\n", out.String())
	require.Equal(t, "loud\n", errs.String())
	require.Len(t, result.Excerpt, len(out.String()+errs.String()))

	t.Run("either keeps it from being silent", func(t *testing.T) {
		t.Parallel()
		for _, stream := range []string{"1", "2"} {
			c := shell(t, "while :; do echo . >&"+stream+"; sleep 0.1; done")
			c.Stdout, c.Idle, c.Wall, c.Grace = io.Discard, limit, 2*limit, limit
			require.Equal(t, proc.WallLimit, run(t, c).Reason, stream)
		}
		c := shell(t, "cat block")
		c.Stdout, c.Idle, c.Grace = io.Discard, limit, limit
		require.Equal(t, proc.IdleLimit, run(t, c).Reason)
	})
	t.Run("input that stays open is answered", func(t *testing.T) {
		t.Parallel()
		r, w := io.Pipe()
		c := shell(t, `echo ready; read line; echo "got $line"; read line && exit 1; echo over`)
		var got strings.Builder
		c.Stdin, c.Stdout = r, onWrite(func(p []byte) (int, error) {
			got.Write(p)
			switch got.String() {
			case "ready\n":
				_, err := io.WriteString(w, "word\n")
				return len(p), err
			case "ready\ngot word\n":
				return len(p), w.Close()
			}
			return len(p), nil
		})
		require.True(t, run(t, c).Passed())
		require.Equal(t, "ready\ngot word\nover\n", got.String())
	})
}
