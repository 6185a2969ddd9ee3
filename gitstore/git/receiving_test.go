package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A process of an entry is told from others by its start, its boot and its
// container; what cannot be known counts as alive, for a time.
func TestMakerIsDead(t *testing.T) {
	t.Parallel()
	alive, ok := processIDOf(os.Getpid())
	if !ok {
		t.Skip("this system does not tell of processes")
	}
	zombie := exec.Command("true")
	require.NoError(t, zombie.Start())
	t.Cleanup(func() { _ = zombie.Wait() })
	gittest.Until(t, "it has ended", func() bool { _, state := readStart(zombie.Process.Pid); return state == "Z" })
	unread, there := processIDOf(zombie.Process.Pid)
	require.False(t, there)

	now, past := time.Now(), time.Now().Add(-time.Hour)
	change := func(f func(*processID)) processID { m := alive; f(&m); return m }
	for name, test := range map[string]struct {
		who   processID
		since time.Time
		dead  bool
	}{
		"itself":                          {alive, now, false},
		"a later process with its number": {change(func(m *processID) { m.start = "1" }), now, true},
		"not waited for yet":              {unread, now, true},
		"another container":               {change(func(m *processID) { m.ns = "pid:[1]"; m.start = "1" }), now, false},
		"another container, long ago":     {change(func(m *processID) { m.ns = "pid:[1]" }), past, true},
		"another machine":                 {change(func(m *processID) { m.boot = "x" }), now, false},
		"another machine, long ago":       {change(func(m *processID) { m.boot = "x" }), past, true},
		"before the machine was started":  {change(func(m *processID) { m.boot = "x" }), time.Unix(1, 0), true},
		"unreadable":                      {*parseProcessID("pid x"), time.Unix(1, 0), false},
	} {
		require.Equal(t, test.dead, parseProcessID(test.who.String()).isDead(test.since) && test.who.isDead(test.since), name)
	}
}

// pushEntry leaves an entry of a push as a receive-pack's hook writes it.
func pushEntry(t *testing.T, r *Repo, by processID, updates []RefUpdate) {
	t.Helper()
	require.NoError(t, os.MkdirAll(r.Journal.Dir(), 0o777))
	require.NoError(t, r.Journal.writePush(filepath.Join(r.Journal.Dir(), fmt.Sprintf("push-%d", by.pid)), by, updates))
}

// The locks of a receive-pack go with it, unless another one, which lives,
// repeats its push.
func TestLocksOfAReceivePack(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	alive, ok := processIDOf(os.Getpid())
	if !ok {
		t.Skip("this system does not tell of processes")
	}
	dead := alive
	dead.pid, dead.start = os.Getppid(), "1"
	updates := []RefUpdate{{Name: layout.State, Old: v.first, New: v.second}}
	lock := filepath.Join(v.r.CommonDir(), layout.State+".lock")
	take := func() { require.NoError(t, os.WriteFile(lock, []byte(v.second+"\n"), 0o666)) }

	pushEntry(t, v.r, alive, updates)
	take()
	require.NoError(t, v.r.Journal.Recover(context.Background()))
	require.FileExists(t, lock, "its process lives")
	pushEntry(t, v.r, dead, updates)
	require.NoError(t, os.Remove(lock))
	take()
	require.NoError(t, v.r.Journal.Recover(context.Background()))
	require.FileExists(t, lock, "it may be the living one's")
	many := slices.Clone(updates)
	for i := range 15_000 {
		many = append(many, RefUpdate{Name: fmt.Sprintf("refs/heads/one/of/many/branches/%d", i), New: v.second})
	}
	pushEntry(t, v.r, alive, many)
	require.NoError(t, v.r.Journal.Recover(context.Background()))
	require.FileExists(t, lock, "however much that one pushes")

	require.NoError(t, os.Remove(filepath.Join(v.r.Journal.Dir(), fmt.Sprintf("push-%d", alive.pid))))
	require.NoError(t, v.r.Journal.AwaitLocks(context.Background(), updates))
	require.NoFileExists(t, lock)
	v.completes(t)
}

// A push waits for another one's lock, and names one that stays, with the
// command that clears it there.
func TestPushAwaitsLocks(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	updates := []RefUpdate{{Name: layout.State, Old: v.first, New: v.second}}
	lock := filepath.Join(v.r.CommonDir(), layout.State+".lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o666))
	var locked *Locked
	require.ErrorAs(t, v.r.Journal.AwaitLocks(context.Background(), updates), &locked)
	require.Contains(t, locked.Reason, lock)
	require.Equal(t, "git -C "+v.r.CommonDir()+" liza doctor --unlock", locked.Hint)

	fifo := filepath.Join(t.TempDir(), "go")
	require.NoError(t, syscall.Mkfifo(fifo, 0o666))
	rm := exec.Command("sh", "-c", "read go <"+fifo+"; rm "+lock)
	require.NoError(t, rm.Start())
	done := make(chan error, 1)
	go func() { done <- v.r.Journal.AwaitLocks(context.Background(), updates) }()
	require.NoError(t, os.WriteFile(fifo, []byte("go\n"), 0o666))
	require.NoError(t, <-done)
	require.NoError(t, rm.Wait())
}

// A folder, a link or a pipe under the name of a push's entry is not taken for a
// push.
func TestStrangePushes(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	dir := v.r.Journal.Dir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "push-4"), 0o777))
	require.NoError(t, os.Symlink("push-2", filepath.Join(dir, "push-1")))
	require.NoError(t, os.Symlink("push-1", filepath.Join(dir, "push-2")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "push-3"), 0o666))
	require.Empty(t, v.r.Journal.locksOfPushes())
}
