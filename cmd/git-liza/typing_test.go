//go:build linux || darwin

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A question that a signal ends leaves the terminal as it was, gives a review back, and
// says nothing about Ctrl-C.
func TestDialogRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	dir := waitingBoard(t)
	for _, by := range []struct {
		name, keys string
		signal     syscall.Signal
		code       int
	}{
		{"Ctrl-C", "\x03", 0, exitInterrupted},
		{"Ctrl-D", "\x04", 0, exitDone},
		{"TERM", "", syscall.SIGTERM, exitFailed},
	} {
		terminal, err := gittest.OpenTerminal()
		require.NoError(t, err)
		was, err := unix.IoctlGetTermios(int(terminal.Line().Fd()), getModes)
		require.NoError(t, err)
		cmd := exec.Command(built, "review")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TERM=xterm", "GIT_PAGER=cat")
		cmd.Stdout, cmd.Stderr = terminal.Line(), terminal.Line()
		terminal.Control(cmd)
		require.NoError(t, cmd.Start())
		require.NoError(t, terminal.Await("[a,r,f,n,d,t,s,q,?]?"), by.name)
		asking, err := unix.IoctlGetTermios(int(terminal.Line().Fd()), getModes)
		require.NoError(t, err)
		require.NotEqual(t, was, asking, by.name)
		if require.NoError(t, terminal.Type(by.keys)); by.signal != 0 {
			require.NoError(t, cmd.Process.Signal(by.signal))
		}
		_ = cmd.Wait()
		is, err := unix.IoctlGetTermios(int(terminal.Line().Fd()), getModes)
		require.NoError(t, err)
		require.Equal(t, was, is, by.name)
		shown := terminal.Close()
		require.Equal(t, by.code, cmd.ProcessState.ExitCode(), "%s: %s", by.name, shown)
		require.Greater(t, strings.LastIndex(shown, "\x1b[?2004l"), strings.LastIndex(shown, "\x1b[?2004h"), by.name)
		require.Contains(t, shown, "the review of task-1 is given back", by.name)
		if by.code != exitFailed {
			require.NotContains(t, shown, "git-liza:", by.name)
			require.NotContains(t, shown, "canceled", by.name)
		}
	}
}

// waitingBoard makes a repository in which a submission waits for a person.
func waitingBoard(t *testing.T) string {
	t.Helper()
	dir := gittest.Seeded(t)
	gittest.Write(t, dir, "specs/vision.md", "# A small product\n")
	gittest.Git(t, dir, "add", "-A")
	gittest.Git(t, dir, "commit", "-q", "-m", "Vision")
	gittest.Git(t, dir, "liza", "init")
	gittest.Git(t, dir, "liza", "task", "add", "--title", "One", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
	gittest.Git(t, dir, "liza", "claim", "task-1", "--as", "coder-1")
	gittest.Git(t, dir, "liza", "intent", "task-1", "--as", "coder-1", "--summary", "S", "--validation", "V")
	tree := dir + "/.worktrees/task-1"
	gittest.Write(t, tree, "a.txt", "a\n")
	gittest.Git(t, tree, "add", "-A")
	gittest.Git(t, tree, "commit", "-q", "-m", "Work")
	gittest.Git(t, dir, "liza", "submit", "task-1", "--as", "coder-1")
	return dir
}

// A panic of a goroutine that works while the person is asked leaves the terminal as it was.
func TestPanicRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	terminal, err := gittest.OpenTerminal()
	require.NoError(t, err)
	line := terminal.Line()
	was, err := unix.IoctlGetTermios(int(line.Fd()), getModes)
	require.NoError(t, err)
	inv := &invocation{output: output{stdout: io.Discard, stderr: line}, ctx: t.Context(), stdin: line, environ: []string{"TERM=xterm"}}
	d := newDialog(inv)
	d.markPastes()
	require.NoError(t, terminal.Await("\x1b[?2004h"))
	require.PanicsWithValue(t, "lost", func() {
		defer d.unmarkAtPanic()
		panic("lost")
	})
	require.NoError(t, terminal.Await("\x1b[?2004l"))
	is, err := unix.IoctlGetTermios(int(line.Fd()), getModes)
	require.NoError(t, err)
	require.Equal(t, was, is)
	terminal.Close()
}

// The board on a terminal can be killed at any time: where it can, it leaves the terminal
// as it was; what it keeps in the repository stays readable, and nothing holds the next one up.
func TestWatchKilledAtTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git", "config", "user.name", "Ann")
	p.must("git-liza", "task", "add", "one", "--title", "Say it", "--done-when", "d", "--spec", "specs/vision.md", "--scope", "s", "--kind", "docs")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	p.must("git-liza", "block", "one", "--as", "coder-1", "--question", "Which port?")
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGKILL} {
		terminal, err := gittest.OpenTerminal()
		require.NoError(t, err)
		line := terminal.Line()
		was, err := unix.IoctlGetTermios(int(line.Fd()), getModes)
		require.NoError(t, err)
		cmd := exec.Command(filepath.Join(p.bin, "git-liza"), "watch")
		cmd.Dir, cmd.Env = p.repo, append(slices.Clone(p.env), "TERM=xterm")
		terminal.Control(cmd)
		cmd.Stdout, cmd.Stderr = line, line
		require.NoError(t, cmd.Start())
		missed := terminal.Await("Which port?")
		require.NoError(t, cmd.Process.Signal(sig))
		_ = cmd.Wait()
		require.NoError(t, missed)
		is, err := unix.IoctlGetTermios(int(line.Fd()), getModes)
		require.NoError(t, err)
		shown := terminal.Close()
		if sig != unix.SIGKILL {
			require.Equal(t, was, is, sig)
			require.Contains(t, shown[strings.LastIndex(shown, "\x1b[?1049"):], "\x1b[?1049l", sig)
		}
		_, said, complaint := p.run(nil, "git-liza", "watch", "--once")
		require.Contains(t, said, "Which port?", "%v: %s", sig, complaint)
		require.NotContains(t, complaint, ".git/liza", sig)
	}
	left, err := filepath.Glob(filepath.Join(p.repo, ".git/liza/*.new"))
	require.NoError(t, err)
	require.Empty(t, left)
}
