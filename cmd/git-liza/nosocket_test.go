package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// Where the file system has no sockets, or the system allows none, a rush says so once and
// works, and commands make their moves themselves.
func TestARushWithoutSockets(t *testing.T) {
	t.Parallel()
	for _, errno := range []string{"EPERM", "EOPNOTSUPP"} {
		t.Run(errno, func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			p.must("git", "config", "liza.provider", "exec:cat")
			p.add("t-1")
			p.must("git-liza", "register", "coder-7")
			p.must("git-liza", "claim", "t-1", "--as", "coder-7")
			said := p.rushUnder(t, "bind:error="+errno)
			code, _, stderr := p.run([]string{"LIZA_TRACE=1"}, "git-liza", "renew", "t-1", "--as", "coder-7")
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, "update-ref")
			require.NoFileExists(t, filepath.Join(p.repo, ".git", "liza", "resident"))
			p.must("git-liza", "note", "made")
			gittest.Until(t, "the rush sees it", func() bool { return strings.Contains(said(), "note by human:ann") })
			require.Equal(t, 1, strings.Count(said(), "commands make their moves themselves: listen "+filepath.Join(p.repo, ".git", "liza", "resident")+": bind: "), said())
		})
	}

	// Beside a rush that has one, a command that may not connect makes its move itself.
	p := newPlayground(t)
	p.must("git", "config", "liza.provider", "exec:cat")
	p.rushUnder(t, "bind:error=EIO:when=65535") // as good as never
	gittest.Until(t, "the rush listens", func() bool {
		_, err := os.Stat(filepath.Join(p.repo, ".git", "liza", "resident"))
		return err == nil
	})
	code, stdout, stderr := p.run([]string{"LIZA_TRACE=1"}, "strace", "-f", "-o", os.DevNull, "-e", "trace=connect", "-e", "inject=connect:error=EPERM", "git-liza", "note", "mine")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stderr, "update-ref")
}

// rushUnder runs a rush, of which a system call fails, until the test ends. It returns what
// the rush has said once its agent has joined. The test is skipped where nobody may trace.
func (p *playground) rushUnder(t *testing.T, fault string) (said func() string) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("without strace no call fails")
	}
	call, _, _ := strings.Cut(fault, ":")
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	c := exec.Command(strace, "-f", "-o", os.DevNull, "-e", "trace="+call, "-e", "inject="+fault,
		filepath.Join(p.bin, "git-liza"), "rush", "--planners", "0", "--coders", "1", "--reviewers", "0")
	c.Dir, c.Env, c.Stdout, c.Stderr = p.repo, p.env, out, out
	require.NoError(t, c.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait()
	}()
	t.Cleanup(func() {
		_, _, _ = p.run(nil, "git-liza", "stop", "--reason", "R")
		<-ended
	})
	said = func() string {
		text, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		return string(text)
	}
	gittest.Until(t, "an agent joins", func() bool {
		select {
		case <-ended:
			if strings.Contains(said(), "ptrace") {
				t.Skip("nobody may trace here: " + said())
			}
			require.Fail(t, "the rush has ended", said())
		default:
		}
		return strings.Contains(said(), "joined")
	})
	return said
}
