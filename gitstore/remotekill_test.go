package gitstore

import (
	"context"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// A gate is a hook that says that it was reached, and then waits.
type gate struct{ reached, goOn string }

// stop makes a hook of a repository wait, in one state if it has states.
func stop(t *testing.T, gitDir, hook, state string) gate {
	t.Helper()
	dir := t.TempDir()
	g := gate{filepath.Join(dir, "reached"), filepath.Join(dir, "go")}
	require.NoError(t, syscall.Mkfifo(g.goOn, 0o666))
	text := "#!/bin/sh\n"
	if state != "" {
		text += "test \"$1\" = " + state + " || exit 0\n"
	}
	gittest.Script(t, filepath.Join(gitDir, "hooks", hook), text+": >'"+g.reached+"'\nread go <'"+g.goOn+"'\nexit 0\n")
	return g
}

func (g gate) wait(t *testing.T) {
	t.Helper()
	gittest.Until(t, "the hook is reached", func() bool { return exists(g.reached) })
}

// open lets one process that waits go on.
func (g gate) open(t *testing.T) {
	t.Helper()
	require.NoError(t, os.WriteFile(g.goOn, []byte("go\n"), 0o666))
}

// A process that is killed on its way to the remote leaves the board as it was,
// or with its move, and nothing that is pushed later.
func TestRemotePusherKilled(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]struct {
		dir         func(lane) string
		hook, state string
		landed      bool
	}{
		"before the remote judges":      {func(l lane) string { return l.bare }, "pre-receive", "", true},
		"before the remote's refs move": {func(l lane) string { return l.bare }, "reference-transaction", "prepared", true},
		"after the remote's refs moved": {func(l lane) string { return l.bare }, "post-receive", "", true},
		"while the mirror moves":        {func(l lane) string { return filepath.Join(l.a.dir, ".git") }, "reference-transaction", "prepared", true},
		"after the mirror moved":        {func(l lane) string { return filepath.Join(l.a.dir, ".git") }, "reference-transaction", "committed", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			start := l.a.at(layout.State)
			g := stop(t, where.dir(l), where.hook, where.state)
			cmd := storeChild(os.Args[0], l.a.dir, "note", "victim")
			gone := gittest.Family(t, cmd)
			require.NoError(t, cmd.Start())
			g.wait(t)
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			require.NoError(t, os.Remove(filepath.Join(where.dir(l), "hooks", where.hook)))

			// A push that the kill left running may still land, or come too late.
			if name == "before the remote judges" {
				l.later()
				_, err := l.a.store.Do(context.Background(), note("in between"))
				require.NoError(t, err)
			}
			g.open(t)
			l.later()
			gittest.Until(t, "the next move is made", func() bool {
				l.a.store = l.a.open()
				_, err := l.a.store.Do(context.Background(), note("later"))
				return err == nil
			})
			gone()
			emptyOutbox(t, l.a)
			l.agree(t)
			texts := gittest.Git(t, l.a.dir, "log", "--format=%b", string(start)+".."+layout.State)
			require.LessOrEqual(t, strings.Count(texts, "victim"), 1)
			require.Equal(t, 1, strings.Count(texts, "later"))
		})
	}
}

// Those who wait for a process that is killed while it pushes for all find out
// whether their moves landed, and make them if not.
func TestRemotePusherOfOthersKilled(t *testing.T) {
	t.Parallel()
	for _, hook := range []string{"pre-receive", "post-receive"} {
		t.Run(hook, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			start := l.a.at(layout.State)
			other := l.postedChild(t)
			g := stop(t, l.bare, hook, "")
			victim := storeChild(os.Args[0], l.a.dir, "note", "victim")
			gone := gittest.Family(t, victim)
			require.NoError(t, victim.Start())
			g.wait(t)
			require.NoError(t, victim.Process.Kill())
			_ = victim.Wait()
			require.NoError(t, os.Remove(filepath.Join(l.bare, "hooks", hook)))
			g.open(t)
			require.NoError(t, other.Process.Signal(syscall.SIGCONT))
			require.NoError(t, other.Wait())
			gone()
			l.later()
			l.agree(t)
			emptyOutbox(t, l.a)
			texts := gittest.Git(t, l.a.dir, "log", "--format=%b", string(start)+".."+layout.State)
			require.Equal(t, 1, strings.Count(texts, "bystander"), texts)
			require.LessOrEqual(t, strings.Count(texts, "victim"), 1)
		})
	}
}

// postedChild starts a process whose move waits in the outbox, because another
// one has the turn to push until that is so.
func (l lane) postedChild(t *testing.T) *exec.Cmd {
	t.Helper()
	release, err := l.a.store.Repo.Turns.PushTurn(context.Background())
	require.NoError(t, err)
	defer release()
	cmd := storeChild(os.Args[0], l.a.dir, "note", "bystander")
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	gittest.Until(t, "the move waits", func() bool {
		list, _ := os.ReadDir(outboxDir(l.a.store.Repo))
		return len(list) == 1 && !strings.HasSuffix(list[0].Name(), ".new")
	})
	queue, err := l.a.store.Repo.Turns.Queue(context.Background())
	require.NoError(t, err)
	defer queue()
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP), "so that another one pushes")
	var stopped syscall.WaitStatus
	_, err = syscall.Wait4(cmd.Process.Pid, &stopped, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, stopped.Stopped(), "it has no turn to take any more")
	return cmd
}

// The move landed, the answer did not come: it is found on the remote.
func TestRemoteLostAnswer(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1")
	l.hook(t, "post-receive", "rm \"$0\"; kill -9 $PPID")
	before := l.a.at(layout.State)
	r := l.a.claim("task-1", coder)
	require.False(t, r.Already)
	require.Equal(t, before, git.ID(gittest.Git(t, l.a.dir, "rev-parse", string(r.Commit)+"^")))
	require.Equal(t, r.Commit, l.at(t, layout.State))
	l.agree(t)
}

// The connection breaks before anything moved: it is tried again, and said in
// the end.
func TestRemoteBreaks(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.hook(t, "pre-receive", "rm \"$0\"; kill -9 $PPID")
	l.a.add("task-1")
	l.hook(t, "pre-receive", "kill -9 $PPID")
	before := l.a.at(layout.State)
	_, err := l.a.store.Do(context.Background(), claim("task-1", coder))
	require.ErrorContains(t, err, "remote origin: git push: ")
	require.NotErrorIs(t, err, ErrOffline)
	require.Equal(t, before, l.a.at(layout.State))
	emptyOutbox(t, l.a)
	l.hook(t, "pre-receive", "echo no room for you >&2; exit 1")
	_, err = l.a.store.Do(context.Background(), claim("task-1", coder))
	require.ErrorContains(t, err, "pre-receive hook declined")
	require.ErrorContains(t, err, "no room for you")
	require.NoError(t, os.Remove(filepath.Join(l.bare, "hooks", "pre-receive")))
	l.a.claim("task-1", coder)
	l.agree(t)
}

// Without the remote reading works and moves say so; nothing is kept for later.
func TestRemoteOffline(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	l.a.claim("task-1", coder)
	away := l.bare + ".away"
	require.NoError(t, os.Rename(l.bare, away))
	require.Equal(t, board.Claimed, l.a.board().Task("task-1").Status)
	before := l.a.at(layout.State)
	_, err := l.a.store.Do(ctx, claim("task-2", "coder-2"))
	require.ErrorIs(t, err, ErrOffline)
	_, err = l.a.store.Do(ctx, claim("task-1", "coder-2"))
	require.ErrorIs(t, err, ErrOffline, "what the mirror refuses may be allowed by now")
	require.ErrorContains(t, err, "coder-1")
	_, err = l.a.store.Mirror.Sync(ctx)
	require.ErrorIs(t, err, ErrOffline)
	require.ErrorIs(t, l.a.store.Mirror.CheckLanded(ctx, before), ErrOffline)
	require.ErrorIs(t, l.a.store.Mirror.BringCommits(ctx, "task-1", git.ID(strings.Repeat("1", 40))), ErrOffline)
	require.Equal(t, before, l.a.at(layout.State))
	emptyOutbox(t, l.a)

	require.NoError(t, os.Rename(away, l.bare))
	l.b.claim("task-2", "coder-3")
	_, err = l.a.store.Do(ctx, claim("task-2", "coder-2"))
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Reason, "coder-3")
	l.agree(t)
}

// A remote that does not answer is left after the time limit; a call to stop
// ends a push at once.
func TestRemoteSlow(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	gittest.Git(t, l.a.dir, "config", "liza.remoteTimeout", "1")
	l.a.store = l.a.open()
	stop(t, l.bare, "pre-receive", "")
	_, err := l.a.store.Do(context.Background(), note("slow"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "may have the move")

	gittest.Git(t, l.a.dir, "config", "liza.remoteTimeout", "10m")
	l.a.store = l.a.open()
	g := stop(t, l.bare, "pre-receive", "")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := l.a.store.Do(ctx, note("called off"))
		done <- err
	}()
	g.wait(t)
	cancel()
	err = <-done // and not after ten minutes
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "may have the move")
	emptyOutbox(t, l.a)
	require.NoError(t, os.Remove(filepath.Join(l.bare, "hooks", "pre-receive")))
	l.agree(t)
}

// leased is what the hook of a server makes sure of: git 2.39 does not tell one
// packed-refs file from another of the same second, inode and size, and accepts
// a push whose lease is a value that the board's ref had before.
const leased = `[ "$1" = prepared ] || exit 0
while read -r old new ref; do
	[ "$ref" != refs/liza/state ] || [ -e "$GIT_DIR/$ref" ] || [ "$(git rev-parse -q --verify "$ref")" = "$old" ] || exit 1
done`

// Clients of two clones are killed at any moment while git keeps house beside
// them and the others go on: every board stays whole, and all agree.
func TestTortureRemoteKills(t *testing.T) {
	torture.Only(t)
	l := newLane(t)
	l.later()
	l.hook(t, "reference-transaction", leased)
	stop := make(chan struct{})
	var beside sync.WaitGroup
	for _, dir := range []string{l.a.dir, l.b.dir, l.bare} {
		beside.Go(func() { keepHouse(dir, stop) })
	}
	var steady []*exec.Cmd
	for i, d := range []*desk{l.a, l.b} {
		steady = append(steady, storeChild(os.Args[0], d.dir, "notes-for", "steady "+strconv.Itoa(i), "30s"))
	}
	beside.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			cmd := storeChild(os.Args[0], []string{l.a.dir, l.b.dir}[i%2], "notes-for", "victim", "1m")
			if cmd.Start() == nil {
				time.Sleep(time.Duration(mathrand.Int64N(int64(600 * time.Millisecond))))
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
		}
	})
	texts := together(t, steady)
	close(stop)
	beside.Wait()
	t.Logf("%q", texts)
	l.later()
	l.a.store, l.b.store = l.a.open(), l.b.open()
	for _, d := range []*desk{l.a, l.b} {
		gittest.Until(t, "what the last kill left is cleared", func() bool {
			_, err := d.store.Do(context.Background(), note("last"))
			return err == nil
		})
		emptyOutbox(t, d)
	}
	l.agree(t)
	gittest.Git(t, l.bare, "fsck", "--no-dangling")
}
