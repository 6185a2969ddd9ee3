package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A victim is a process that moves three refs and is stopped on the way:
// refs/liza/state first -> second, refs/heads/int first -> second, and
// refs/heads/task, which it deletes.
type victim struct {
	dir           string
	first, second ID
	cmd           *exec.Cmd
	gone          func()
	r             *Repo
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	first, err := r.Refs.Resolve(context.Background(), "HEAD")
	require.NoError(t, err)
	o := objectsOf(t, r)
	second := commitOn(t, o, first, "src", "main.sh", "two")
	require.NoError(t, o.Flush())
	require.NoError(t, r.Refs.MoveRefs(context.Background(), []RefUpdate{
		{Name: layout.State, New: first}, {Name: "refs/heads/int", New: first}, {Name: "refs/heads/task", New: first},
	}, "start"))
	return &victim{dir: dir, first: first, second: second, r: r}
}

// start lets the process run, in a process group of its own with its git.
func (v *victim) start(t *testing.T) {
	t.Helper()
	v.cmd = exec.Command(os.Args[0], v.dir,
		layout.State+"="+string(v.first)+"="+string(v.second), "refs/heads/int="+string(v.first)+"="+string(v.second), "refs/heads/task="+string(v.first)+"=")
	v.cmd.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=move")
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	v.gone = gittest.Family(t, v.cmd)
	require.NoError(t, v.cmd.Start())
	t.Cleanup(func() { v.kill(t) })
}

// holdLocks starts the process and returns when it holds its locks, prepared to move
// the refs. It waits there until undo.
func (v *victim) holdLocks(t *testing.T) (undo func()) {
	t.Helper()
	undo = v.stall(t, layout.State)
	v.start(t)
	gittest.Until(t, "the journal knows the locks", func() bool { return strings.Contains(v.journal(), "\nlock ") })
	return undo
}

// kill ends the process and its git at once.
func (v *victim) kill(t *testing.T) {
	t.Helper()
	if v.cmd != nil {
		gittest.KillGroup(v.cmd)
		v.gone()
		v.cmd = nil
	}
}

func (v *victim) locked(name string) bool {
	_, err := os.Stat(filepath.Join(v.r.CommonDir(), name+".lock"))
	return err == nil
}

// journal returns what the entries of the journal say.
func (v *victim) journal() string {
	paths, _ := filepath.Glob(filepath.Join(v.r.Journal.Dir(), "*"))
	var all string
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		all += string(text)
	}
	return all
}

func (v *victim) at(t *testing.T, name string) ID {
	t.Helper()
	id, err := v.r.Refs.Resolve(context.Background(), name)
	require.NoError(t, err)
	return id
}

// completes repeats the move, from wherever the refs are.
func (v *victim) completes(t *testing.T) {
	t.Helper()
	require.NoError(t, v.r.Refs.MoveRefs(context.Background(), []RefUpdate{
		{Name: layout.State, Old: v.at(t, layout.State), New: v.second},
		{Name: "refs/heads/int", Old: v.at(t, "refs/heads/int"), New: v.second},
		{Name: "refs/heads/task", Old: v.first},
	}, "again"))
	require.Equal(t, v.second, v.at(t, layout.State))
	require.Equal(t, v.second, v.at(t, "refs/heads/int"))
	require.Empty(t, v.at(t, "refs/heads/task"))
	for _, name := range []string{layout.State, "refs/heads/int", "refs/heads/task", "packed-refs", "HEAD"} {
		require.False(t, v.locked(name), name)
	}
	require.Empty(t, v.journal())
	gittest.Git(t, v.dir, "fsck", "--no-dangling")
}

// hook installs a reference-transaction hook that stays in a state until its
// file `go` appears; git holds all of its locks in state prepared.
func (v *victim) hook(t *testing.T, state string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(filepath.Join(v.r.CommonDir(), "go"), 0o666))
	gittest.Script(t, filepath.Join(v.r.CommonDir(), "hooks", "reference-transaction"),
		"#!/bin/sh\nif test \"$1\" = "+state+"; then : >\"$GIT_DIR/in-hook\"; read wait <\"$GIT_DIR/go\"; fi\n")
}

func (v *victim) unhook(t *testing.T) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(v.r.CommonDir(), "hooks", "reference-transaction")))
}

// stall makes git hang in the commit of a transaction, when it is about to
// write the ref's reflog, which comes just before the ref itself.
func (v *victim) stall(t *testing.T, name string) (undo func()) {
	t.Helper()
	path := filepath.Join(v.r.CommonDir(), "logs", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	os.Remove(path)
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	return func() { require.NoError(t, os.Remove(path)) }
}

func TestKilledBeforePrepareIsAnswered(t *testing.T) {
	t.Parallel()
	for name, packed := range map[string]bool{"loose": false, "packed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			if packed {
				gittest.Git(t, v.dir, "pack-refs", "--all")
			}
			v.killedInHook(t)
		})
	}
}

func (v *victim) killedInHook(t *testing.T) {
	v.hook(t, "prepared")
	v.start(t)
	gittest.Until(t, "git holds its locks", func() bool { return fileExists(filepath.Join(v.r.CommonDir(), "in-hook")) })
	require.True(t, v.locked("refs/heads/int"))
	require.NotContains(t, v.journal(), "\nlock ")
	v.kill(t)
	v.unhook(t)

	require.True(t, v.locked("refs/heads/int"), "the kill left the locks")
	require.Equal(t, v.first, v.at(t, layout.State))
	v.completes(t)
}

// Git writes the new value of a ref and its line break one after the other.
func TestKilledWithinALock(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"empty": 0, "begun": 20, "without its line break": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			v.hook(t, "prepared")
			v.start(t)
			gittest.Until(t, "git holds its locks", func() bool { return fileExists(filepath.Join(v.r.CommonDir(), "in-hook")) })
			v.kill(t)
			v.unhook(t)
			require.NoError(t, os.Truncate(filepath.Join(v.r.CommonDir(), "refs/heads/int.lock"), size))
			v.completes(t)
		})
	}
}

func TestKilledBetweenPrepareAndCommit(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	undo := v.holdLocks(t)
	v.kill(t)
	undo()

	require.True(t, v.locked(layout.State))
	require.Equal(t, v.first, v.at(t, layout.State))
	v.completes(t)
}

func TestKilledBetweenTwoRefs(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	undo := v.stall(t, "refs/heads/int")
	v.start(t)
	gittest.Until(t, "the first ref moved", func() bool { return v.at(t, layout.State) == v.second })
	v.kill(t)
	undo()

	require.True(t, v.locked("refs/heads/int"))
	require.Equal(t, v.first, v.at(t, "refs/heads/int"), "a transaction is not atomic in a crash")
	gittest.Until(t, "the git that was killed lets go of the journal", func() bool {
		require.NoError(t, v.r.Journal.Recover(context.Background()))
		return !v.locked("refs/heads/int")
	})
	v.completes(t)
}

func TestKilledInDeletion(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	gittest.Git(t, v.dir, "pack-refs", "--all")
	undo := v.stall(t, "refs/heads/int")
	v.start(t)
	gittest.Until(t, "the first ref moved", func() bool { return v.at(t, layout.State) == v.second })
	v.kill(t)
	undo()

	require.True(t, v.locked("packed-refs"))
	v.completes(t)
}

func TestLocksOfALivingTransactionStay(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	undo := v.stall(t, "refs/heads/int")
	v.start(t)
	gittest.Until(t, "the first ref moved", func() bool { return v.at(t, layout.State) == v.second })
	require.NoError(t, v.r.Journal.Recover(context.Background()))
	require.True(t, v.locked("refs/heads/int"))
	require.NotEmpty(t, v.journal())

	// Also when only git lives on: it inherited the lock on the entry.
	require.NoError(t, v.cmd.Process.Kill())
	v.cmd.Process.Wait()
	require.NoError(t, v.r.Journal.Recover(context.Background()))
	require.True(t, v.locked("refs/heads/int"))
	v.kill(t)
	undo()
	v.completes(t)
}

func TestForeignLockStays(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	lock := filepath.Join(v.r.CommonDir(), layout.State+".lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o666))
	err := v.r.Refs.MoveRefs(context.Background(), []RefUpdate{{Name: layout.State, Old: v.first, New: v.second}}, "x")
	require.ErrorIs(t, err, ErrRefLocked)
	require.ErrorContains(t, err, lock)
	require.ErrorContains(t, err, "doctor --unlock")
	require.FileExists(t, lock)
	require.Equal(t, v.first, v.at(t, layout.State))

	require.NoError(t, os.Remove(lock))
	v.completes(t)
}

// A lock that another git takes after the victim died must not be mistaken for
// the victim's.
func TestLockTakenAfterTheKillStays(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	undo := v.holdLocks(t)
	v.kill(t)
	undo()
	lock := filepath.Join(v.r.CommonDir(), layout.State+".lock")
	require.NoError(t, os.Remove(lock))
	require.NoError(t, os.WriteFile(lock, []byte(string(v.second)+"\n"), 0o666))

	require.NoError(t, v.r.Journal.Recover(context.Background()))
	require.FileExists(t, lock)
	require.NoError(t, os.Remove(lock))
	v.completes(t)
}

func TestHookRefuses(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	gittest.Script(t, filepath.Join(v.r.CommonDir(), "hooks", "reference-transaction"), "#!/bin/sh\necho not today >&2\nexit 1\n")
	err := v.r.Refs.MoveRefs(context.Background(), []RefUpdate{{Name: layout.State, Old: v.first, New: v.second}}, "x")
	var gitErr *Error
	require.ErrorAs(t, err, &gitErr)
	require.Equal(t, 128, gitErr.Code)
	require.Contains(t, err.Error(), "not today")
	require.NotErrorIs(t, err, ErrRefMoved)
	require.NotErrorIs(t, err, ErrRefLocked)
	v.unhook(t)
	v.completes(t)
}
