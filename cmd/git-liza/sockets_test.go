package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Where the file system has no sockets, or the system allows none, a rush says so once and
// works.
func TestARushWithoutSockets(t *testing.T) {
	t.Parallel()
	for _, errno := range []string{"EPERM", "EOPNOTSUPP"} {
		t.Run(errno, func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			p.must("git", "config", "liza.provider", "exec:cat")
			said := p.rushUnder(t, "bind:error="+errno)
			p.must("git-liza", "note", "made")
			gittest.Until(t, "the rush sees it", func() bool { return strings.Contains(said(), "note by human:ann") })
			require.Equal(t, 1, strings.Count(said(), "nobody can stop, restart or add agents from outside: listen "), said())
			code, _, stderr := p.run(nil, "git-liza", "agents", "stop", "coder-1")
			require.Equal(t, exitRefused, code, stderr)
		})
	}
}

// Builds before the first release left a socket and its lock in the clone, or have a rush
// that still listens there. Nobody connects to it, and nobody is told of it.
func TestTheSocketOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("t-1")
	folder := filepath.Join(p.repo, ".git", "liza")
	l, err := proc.Listen("unix", folder, "resident")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "resident.lock"), []byte("1 rush\n"), 0o644))
	connected := make(chan bool, 1)
	go func() {
		_, err := l.AcceptUnix()
		connected <- err == nil
	}()
	for _, state := range []string{"a process listens", "its process has ended"} {
		p.must("git-liza", "claim", "t-1", "--as", "coder-1")
		p.must("git-liza", "renew", "t-1", "--as", "coder-1")
		p.must("git-liza", "release", "t-1", "--as", "coder-1")
		require.NotContains(t, p.must("git-liza", "doctor"), "resident", state)
		p.must("git-liza", "fsck", "--full")
		l.Close()
	}
	require.False(t, <-connected)
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
