//go:build !apart

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/recall"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestRecallLate asks after another process has entered more than this one knows: nothing
// of that is lost, and nothing is entered twice.
func TestRecallLate(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	late := readingOf(t, p, t.Logf)
	p.must("git-liza", "note", "Zeppelins fly low")
	p.must("git-liza", "recall", "zeppelins")
	hits, kept, err := late.ask("zeppelins", "", 5)
	require.NoError(t, err)
	require.NoError(t, kept)
	require.Len(t, hits, 1)
	require.Zero(t, late.entered)
}

// TestRecallAtOnce asks from several processes before there is an index: each of them enters
// what the others have not, and finds it.
func TestRecallAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	for i := range 20 {
		p.must("git-liza", "note", fmt.Sprintf("Zeppelin %d flies low", i))
	}
	var all sync.WaitGroup
	found := make([]string, 8)
	for i := range found {
		all.Go(func() { _, found[i], _ = p.run(nil, "git-liza", "recall", "zeppelin", "7") })
	}
	all.Wait()
	for _, text := range found {
		require.Contains(t, text, "Zeppelin 7 flies low")
	}
}

// readingOf is what a process asks the index with.
func readingOf(t *testing.T, p *playground, progress func(string, ...any)) *recallReading {
	inv := &invocation{output: output{stdout: io.Discard, stderr: io.Discard}, ctx: t.Context(), environ: p.env, now: time.Now, dir: p.repo}
	l, err := inv.look()
	require.NoError(t, err)
	return &recallReading{look: l, ctx: t.Context(), now: time.Now, mask: secret.New(p.env, nil), progress: progress}
}

// stepClock has so much time pass between two looks at the clock, and counts them.
func stepClock(r *recallReading, step time.Duration) (looks *int) {
	began, n := r.now(), 0
	r.now = func() time.Time {
		n++
		return began.Add(time.Duration(n) * step)
	}
	return &n
}

// TestRecallWaits asks while another process enters everything, which takes longer than
// SQLite waits: nothing is entered a second time for that.
func TestRecallWaits(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git-liza", "note", "Zeppelins fly low")
	p.must("git-liza", "recall", "zeppelins")
	p.must("git-liza", "note", "Balloons fly high")
	x, err := recall.Open(filepath.Join(p.repo, ".git", "liza", "recall-1.db"))
	require.NoError(t, err)
	defer x.Close()
	begun, told, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- x.Change(func(*recall.Change) error {
			close(begun)
			<-told
			return nil
		})
	}()
	<-begun
	said := 0
	hits, kept, err := readingOf(t, p, func(string, ...any) {
		if said++; said == 1 {
			close(told)
		}
	}).ask("balloons", "", 5)
	if said == 0 {
		close(told)
	}
	require.NoError(t, <-ended)
	require.NoError(t, err)
	require.NoError(t, kept)
	require.Equal(t, 1, said)
	require.Len(t, hits, 1)
}

// TestRecallHeldUp asks while another process has the index and does nothing with it: after
// ten seconds the answer comes from memory.
func TestRecallHeldUp(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git-liza", "recall", "zeppelins")
	p.must("git-liza", "note", "Zeppelins fly low")
	x, err := recall.Open(filepath.Join(p.repo, ".git", "liza", "recall-1.db"))
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, x.Change(func(*recall.Change) error {
		var said []string
		r := readingOf(t, p, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
		looks := stepClock(r, 6*time.Second)
		hits, kept, err := r.ask("zeppelins", "", 5)
		require.NoError(t, err)
		require.True(t, recall.IsBusy(kept), "%v", kept)
		require.Len(t, hits, 1)
		require.Equal(t, []string{"another process is indexing what was said, and this one waits for it"}, said)
		require.Equal(t, 3, *looks, "after 0, 6 and 12 seconds")
		return nil
	}))
}

// TestRecallLocked asks while another process is about to take the index away: it says for
// whom it waits, can be interrupted, and answers from memory after ten seconds.
func TestRecallLocked(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git-liza", "note", "Zeppelins fly low")
	alone, err := git.OpenLock(filepath.Join(p.repo, ".git"), recallLock)
	require.NoError(t, err)
	require.NoError(t, git.TryLock(alone))
	defer alone.Close()
	for text, want := range map[string]string{
		"":              "another process takes the index away, and this one waits for it",
		"4711 recall\n": "waiting for process 4711 (git liza recall), which takes the index away; if it is stopped, type fg in its terminal, or: kill -CONT 4711",
	} {
		require.NoError(t, os.WriteFile(alone.Name(), []byte(text), 0o644))
		var said []string
		r := readingOf(t, p, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
		looks := stepClock(r, 2*time.Second)
		hits, kept, err := r.ask("zeppelins", "", 5)
		require.NoError(t, err)
		require.ErrorIs(t, kept, errHeld)
		require.Len(t, hits, 1)
		require.Equal(t, []string{want}, said)
		require.Equal(t, 7, *looks, "after 0, 2, 4, 6, 8, 10 and 12 seconds")
	}

	ended, end := context.WithCancel(t.Context())
	r := readingOf(t, p, t.Logf)
	r.ctx = ended
	end()
	_, _, err = r.ask("zeppelins", "", 5)
	require.ErrorIs(t, err, context.Canceled)
}

// TestRecallFirst asks while another process indexes everything for the first time, which
// takes longer than one that does nothing is waited for: the answer comes from that index.
func TestRecallFirst(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	for i := range 24 {
		var text strings.Builder
		for n := range 20000 {
			fmt.Fprintf(&text, "word%d ", i*20000+n)
		}
		gittest.Write(t, p.repo, fmt.Sprintf(".liza/knowledge/%d.md", i), text.String())
	}
	p.must("git", "add", ".liza")
	p.must("git", "commit", "-qm", "Lessons")
	p.must("git-liza", "adopt", "HEAD", "--reason", "Lessons")
	p.must("git-liza", "note", "Zeppelins fly low")

	path := filepath.Join(p.repo, ".git", "liza", "recall-1.db")
	first := exec.Command(filepath.Join(p.bin, "git-liza"), "recall", "zeppelins")
	first.Dir, first.Env = p.repo, p.env
	require.NoError(t, first.Start())
	defer first.Process.Kill()
	signal := func(s os.Signal) { require.NoError(t, first.Process.Signal(s)) }
	goOn := func() { // until it has written more
		was := recall.Stamp(path)
		signal(syscall.SIGCONT)
		gittest.Until(t, "the index changes", func() bool { return recall.Stamp(path) != was })
		signal(syscall.SIGSTOP)
	}
	gittest.Until(t, "the first entries are written", func() bool {
		info, err := os.Stat(path + "-wal")
		return err == nil && info.Size() > 1<<20
	})
	signal(syscall.SIGSTOP)

	r := readingOf(t, p, t.Logf)
	at, looks := r.now(), 0
	r.now = func() time.Time {
		switch looks++; looks {
		case 1: // the wait begins
		case 2, 3:
			goOn()
			at = at.Add(8 * time.Second)
		default:
			signal(syscall.SIGCONT)
		}
		return at
	}
	hits, kept, err := r.ask("zeppelins", "", 5)
	signal(syscall.SIGCONT)
	require.NoError(t, first.Wait())
	require.NoError(t, err)
	require.NoError(t, kept)
	require.Len(t, hits, 1)
	require.Zero(t, r.entered)
	require.Greater(t, looks, 3)
}

// TestRecallRemoves takes an index away when nobody has it open, and not what another
// process has made in its place.
func TestRecallRemoves(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git-liza", "note", "Zeppelins fly low")
	one, two := readingOf(t, p, t.Logf), readingOf(t, p, t.Logf)
	path := filepath.Join(p.repo, ".git", "liza", "recall-1.db")
	for _, r := range []*recallReading{one, two} {
		_, err := r.askFile(path, "zeppelins", "", 5)
		require.NoError(t, err)
	}

	open, err := git.OpenLock(filepath.Join(p.repo, ".git"), recallLock)
	require.NoError(t, err)
	require.NoError(t, git.ShareLock(open))
	ended, end := context.WithCancel(t.Context())
	end()
	one.ctx = ended
	require.ErrorIs(t, one.remove(path), context.Canceled)
	require.FileExists(t, path)
	git.Unlock(open)

	one.ctx = t.Context()
	require.NoError(t, one.remove(path))
	require.NoFileExists(t, path)
	text, err := os.ReadFile(open.Name())
	require.NoError(t, err)
	require.Regexp(t, fmt.Sprintf(`^%d [a-z-]+ *\n\n$`, os.Getpid()), string(text))
	require.NoError(t, two.remove(path)) // it is gone already
	_, err = one.askFile(path, "zeppelins", "", 5)
	require.NoError(t, err)
	require.NoError(t, two.remove(path))
	require.FileExists(t, path)
}
