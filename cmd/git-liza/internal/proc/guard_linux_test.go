package proc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// Ways to leave a process group. All of them hold `alive` open, and make the
// file begun.
var escapes = map[string]string{
	"a daemon":                 `setsid sh -c 'echo > begun; exec cat block' >/dev/null 2>&1 &`,
	"twice forked":             `(setsid sh -c '(setsid sh -c "echo > begun; exec cat block" &) &' &) >/dev/null 2>&1`,
	"ignores TERM":             `setsid sh -c "trap '' TERM HUP; echo > begun; while :; do sleep 0.05; done" >/dev/null 2>&1 &`,
	"holds the output":         `(setsid sh -c 'echo > begun; exec cat block' &)`,
	"holds the input":          `(setsid sh -c 'echo > begun; exec cat block' <&0 >/dev/null 2>&1 &)`,
	"writes all the time":      `setsid sh -c "trap '' TERM; while :; do echo x >> log; echo > begun; sleep 0.05; done" >/dev/null 2>&1 &`,
	"without an environment":   `env -i setsid sh -c 'echo > begun; exec cat block' >/dev/null 2>&1 &`,
	"stopped":                  `setsid sh -c 'echo > begun; kill -STOP $$; cat block' >/dev/null 2>&1 &`,
	"with children of its own": `setsid sh -c "trap '' TERM; setsid cat block & setsid cat block & echo > begun; wait" >/dev/null 2>&1 &`,
	"begins again":             `setsid sh -c "trap '' TERM; echo > begun; while :; do setsid cat block; sleep 0.01; done" >/dev/null 2>&1 &`,
	"without its first thread": `PROC_TEST_HEADLESS=1 setsid "/proc/$PPID/exe" </dev/null >/dev/null 2>&1 &`,
	"moves on all the time":    `echo 'test $1 -gt 0 && { setsid sh hop.sh $(($1 - 1)) & }; test $1 -gt 0 || echo > over' > hop.sh; (trap '' TERM; setsid sh hop.sh 20000 & setsid sh hop.sh 20000 &) >/dev/null 2>&1; echo > begun`,
}

// While init runs the main goroutine has the first thread, whose end shows the
// process as a zombie.
func init() {
	if os.Getenv("PROC_TEST_HEADLESS") != "" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		time.AfterFunc(never, func() { os.Exit(1) }) // nobody else would find it
		go headless()
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
	}
}

// While nobody may trace it, a process is not in a /proc that hides.
func init() {
	if os.Getenv("PROC_TEST_HIDDEN") != "" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
		_ = os.WriteFile("begun", nil, 0o600)
		_, _ = os.ReadFile("block")
		os.Exit(0)
	}
}

// headless continues in another thread when the first one has ended.
func headless() {
	for text := ""; !strings.Contains(text, ") Z "); {
		stat, _ := os.ReadFile("/proc/self/stat")
		text = string(stat)
	}
	_ = os.WriteFile("begun", nil, 0o600)
	_, _ = os.ReadFile("block")
}

// escaping is a command of which somebody leaves the group, before it does the
// rest.
func escaping(t *testing.T, escape, rest string) proc.Command {
	t.Helper()
	c := shell(t, "exec 9>alive; "+escapes[escape]+"\nuntil test -e begun; do :; done; "+rest)
	c.Bound, c.Grace = true, limit/4
	t.Cleanup(func() { evict(c.Dir) })
	return c
}

// evict ends the processes that work in a folder: those that a failed test left.
func evict(dir string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && at == dir {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// However a command ends, none of its descendants is left.
func TestBoundFollowsWhoLeaves(t *testing.T) {
	t.Parallel()
	for name := range escapes {
		t.Run(name+", the command exits", func(t *testing.T) {
			t.Parallel()
			c := escaping(t, name, "exit 5")
			allGone := witness(t, c)
			result := run(t, c)
			allGone()
			require.Equal(t, proc.Exited, result.Reason, result.Reason)
			require.Equal(t, 5, result.Code)
			require.NoFileExists(t, filepath.Join(c.Dir, "over"), "it ended by itself")
		})
		t.Run(name+", the command is ended", func(t *testing.T) {
			t.Parallel()
			c := escaping(t, name, "echo ready; exec cat block")
			ctx, cancel := context.WithCancel(t.Context())
			c.Output = onWrite(func(p []byte) (int, error) { cancel(); return len(p), nil })
			allGone := witness(t, c)
			result, err := proc.Run(ctx, c)
			require.NoError(t, err)
			allGone()
			require.Equal(t, proc.Canceled, result.Reason, result.Reason)
			require.Equal(t, 128+15, result.Code)
			require.NoFileExists(t, filepath.Join(c.Dir, "over"), "it ended by itself")
		})
	}
}

// A process that answers to TERM may tidy up, also where it left the group and
// the command is over: git, which packs in the background, removes its locks.
func TestBoundLetsWhoLeftTidyUp(t *testing.T) {
	t.Parallel()
	c := shell(t, `setsid sh -c 'trap "echo > tidied; exit" TERM; echo > begun; while :; do sleep 0.02; done' >/dev/null 2>&1 &
until test -e begun; do :; done; exit 5`)
	c.Bound = true
	require.Equal(t, 5, run(t, c).Code)
	require.FileExists(t, filepath.Join(c.Dir, "tidied"))
}

// Two commands at once are kept apart.
func TestBoundEndsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	other := escaping(t, "twice forked", "echo ready; exec cat block")
	began := make(chan struct{})
	other.Output = onWrite(func(p []byte) (int, error) { close(began); return len(p), nil })
	otherGone := witness(t, other)
	var result proc.Result
	ended := make(chan error)
	go func() {
		var err error
		result, err = proc.Run(ctx, other)
		ended <- err
	}()
	<-began

	c := escaping(t, "twice forked", "exit 5")
	allGone := witness(t, c)
	require.Equal(t, 5, run(t, c).Code)
	allGone()
	select {
	case <-ended:
		require.Fail(t, "the other was ended too", "%v", result)
	default:
	}
	// The processes that are left of the other one still read.
	f, err := os.OpenFile(filepath.Join(other.Dir, "block"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err, "nobody reads any more")
	cancel()
	require.NoError(t, <-ended)
	require.NoError(t, f.Close())
	otherGone()
	require.Equal(t, proc.Canceled, result.Reason)
}

// A guard that is stopped holds nobody up; of one that is killed the caller hears, and
// what is found of what it left is killed.
func TestGuardThatIsAttacked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		escape, script string
		reason         proc.Reason
		code           int
		unguarded      bool
	}{
		"stopped":                  {"ignores TERM", "kill -STOP $PPID; exec cat block", proc.WallLimit, 128 + 15, false},
		"asked to end":             {"ignores TERM", "kill -TERM $PPID; kill -HUP $PPID; kill -INT $PPID; exit 5", proc.Exited, 5, false},
		"killed":                   {"", "(trap '' TERM HUP; exec cat block) & kill -KILL $PPID; exec cat block", proc.Signaled, 128 + 9, true},
		"killed, and group leader": {"", "kill -KILL $PPID; exit 5", proc.Signaled, 128 + 9, true},
		"killed, and who left stands in its folder": {"without an environment", "kill -KILL $PPID; exec cat block", proc.Signaled, 128 + 9, true},
		"killed, and who left has children":         {"with children of its own", "kill -KILL $PPID; exec cat block", proc.Signaled, 128 + 9, true},
		"killed, and who left has its mark":         {"", "(b=$PWD; cd /; exec setsid sh -c \"echo >'$b/begun'; exec cat '$b/block'\") & until test -e begun; do :; done; kill -KILL $PPID; exec cat block", proc.Signaled, 128 + 9, true},
		"killed, and who is left is of its session": {"", "(b=$PWD; cd /; exec env -i sh -c \"trap '' TERM HUP; echo >'$b/begun'; exec cat '$b/block'\") & until test -e begun; do :; done; kill -KILL $PPID; exec cat block", proc.Signaled, 128 + 9, true},
		"killed after the command":                  {"", "guard=$PPID; (until ! kill -0 $$; do :; done; kill -KILL $guard; exec cat block) 2>/dev/null & exit 0", proc.Exited, 0, true},
		"its record is taken away":                  {"", "rm -r records; exit 5", proc.Exited, 5, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shell(t, "exec 9>alive; "+test.script)
			if test.escape != "" {
				c = escaping(t, test.escape, test.script)
			}
			c.Bound, c.Wall, c.Grace = true, 2*limit, limit/2
			c.Mark, c.Records = &proc.Mark{Place: "here", Words: []string{"board", "coder-1", "mark of " + c.Dir}}, filepath.Join(c.Dir, "records")
			c.Env = append(c.Env, "MARK=mark of "+c.Dir)
			var unguarded atomic.Bool
			c.Unguarded = func() { unguarded.Store(true) }
			if test.reason != proc.WallLimit {
				c.Wall = never
			}
			allGone := witness(t, c)
			result := run(t, c)
			allGone()
			require.Equal(t, test.reason, result.Reason, result.Reason)
			require.Equal(t, test.code, result.Code)
			require.Equal(t, test.unguarded, unguarded.Load())
		})
	}
}

// A killed process ends its bound commands, and descendants that left their groups.
func TestWhoLeftDoesNotOutliveUs(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for name := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := escaping(t, name, "echo started; cat block")
			gone := witness(t, c)
			us := exec.Command(self)
			us.Env = append(os.Environ(), "PROC_TEST_BOUND="+c.Dir, "PROC_TEST_SCRIPT="+c.Args[1])
			out, err := us.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, us.Start())
			_, err = io.ReadFull(out, make([]byte, len("started")))
			require.NoError(t, err)
			require.NoError(t, us.Process.Kill())
			_ = us.Wait()
			gone()
			require.NoFileExists(t, filepath.Join(c.Dir, "over"), "it ended by itself")
		})
	}
}

// A bound command is in its guard's session and has no terminal. With one it could
// be stopped, and it could share a process group with a person's shell.
func TestBoundHasNoTerminal(t *testing.T) {
	t.Parallel()
	c := shell(t, `test "$(cut -d' ' -f6,7 /proc/$$/stat)" = "$PPID 0" && echo alone`)
	c.Bound = true
	require.Equal(t, "alone\n", run(t, c).Excerpt)
}

// Words and environment arrive as they are, and not in the guard's own.
func TestGuardPassesWordsOn(t *testing.T) {
	t.Parallel()
	c := shell(t, `printf '%s|' "$@" "$WORD"; tr '\0' '|' < /proc/$PPID/cmdline; tr '\0' '|' < /proc/$PPID/environ; readlink /proc/$PPID/cwd`)
	c.Args = append(c.Args, "sh", "", "not \xff UTF-8", "two\nlines")
	c.Env = append(c.Env, "WORD=w\xfe")
	c.Bound = true
	var out []byte
	c.Output = onWrite(func(p []byte) (int, error) { out = append(out, p...); return len(p), nil })
	require.Equal(t, 0, run(t, c).Code)
	require.Equal(t, "|not \xff UTF-8|two\nlines|w\xfe|git-liza: guard of a session|/\n", string(out))
}

// Where /proc is that of another namespace, no process could be followed, and the
// numbers in it are those of others here: nothing begins.
func TestNoGuardInTheDark(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	c := shell(t, "echo > begun")
	us := exec.Command(self)
	us.Env = append(os.Environ(), "PROC_TEST_BOUND="+c.Dir, "PROC_TEST_SCRIPT="+c.Args[1])
	us.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if os.Getuid() != 0 {
		us.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	}
	out, err := us.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skip("no namespaces for this user")
	}
	require.Error(t, err)
	require.Contains(t, string(out), "guard: /proc does not show")
	require.NoFileExists(t, filepath.Join(c.Dir, "begun"))
}

// Where /proc hides a descendant also from its own user, the guard finds it as
// its child.
func TestBoundFollowsWhoHides(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		t.Skip("only root mounts a /proc that hides, with util-linux")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	c := shell(t, `exec 9>alive; PROC_TEST_HIDDEN=1 setsid "/proc/$PPID/exe" </dev/null >/dev/null 2>&1 &
until test -e begun; do :; done; exit 5`)
	t.Cleanup(func() { evict(c.Dir) })
	gone := witness(t, c)
	us := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
		`mount -t proc -o hidepid=2,gid=65534 proc /proc || exit; setpriv --bounding-set=-sys_ptrace "$0"; echo over; read -r _`, self)
	us.Env = append(os.Environ(), "PROC_TEST_BOUND="+c.Dir, "PROC_TEST_SCRIPT="+c.Args[1])
	hold, err := us.StdinPipe()
	require.NoError(t, err)
	out, err := us.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, us.Start())
	defer us.Wait()
	defer hold.Close()
	if _, err = io.ReadFull(out, make([]byte, len("over"))); err != nil {
		t.Skip("no namespaces here")
	}
	gone()
}

// A command ends with its guard, also where nobody is left to hear of that.
func TestCommandEndsWithItsGuard(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	c := shell(t, "exec 9>alive; echo $PPID; exec cat block")
	t.Cleanup(func() { evict(c.Dir) })
	gone := witness(t, c)
	us := exec.Command(self)
	us.Env = append(os.Environ(), "PROC_TEST_BOUND="+c.Dir, "PROC_TEST_SCRIPT="+c.Args[1])
	out, err := us.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, us.Start())
	defer us.Wait()
	defer us.Process.Kill()
	var guard int
	_, err = fmt.Fscanln(out, &guard)
	require.NoError(t, err)
	require.NoError(t, us.Process.Signal(syscall.SIGSTOP))
	require.NoError(t, syscall.Kill(guard, syscall.SIGKILL))
	gone()
}
