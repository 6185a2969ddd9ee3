package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// kill9 is a reference-transaction hook that kills the whole process group when
// the state ref is about to move.
const kill9 = `[ "$1" = prepared ] || exit 0
grep -q refs/liza/state || exit 0
kill -9 0`

// A process that is killed while its mirror moves leaves the locks of the
// mirror and of what it saw of the remote. The next one clears them before it
// fetches.
func TestKilledWhileTheMirrorMoves(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.later()
	gitDir := filepath.Join(l.a.dir, ".git")
	hook := filepath.Join(gitDir, "hooks", "reference-transaction")
	script(t, hook, "#!/bin/sh\n"+kill9+"\n")
	cmd := storeChild(os.Args[0], l.a.dir, "note", "victim")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.Error(t, cmd.Run())
	require.NoError(t, os.Remove(hook))
	require.FileExists(t, filepath.Join(gitDir, "refs/liza/state.lock"))
	require.FileExists(t, filepath.Join(gitDir, "refs/liza/remote/origin/state.lock"))
	_, err := l.b.store.Do(context.Background(), note("from elsewhere"))
	require.NoError(t, err)

	l.a.store = l.a.open()
	_, err = l.a.store.Do(context.Background(), note("next"))
	require.NoError(t, err)
	noLeftovers(t, gitDir)
	l.agree(t)
}

// noLeftovers finds no lock, journal entry or temporary file in a repository.
func noLeftovers(t *testing.T, gitDir string) {
	t.Helper()
	var left []string
	require.NoError(t, filepath.WalkDir(gitDir, func(path string, d os.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, gitDir+"/")
		name := d.Name()
		if strings.HasSuffix(name, ".lock") && !strings.HasPrefix(rel, "liza/") || strings.HasSuffix(name, ".new") ||
			strings.HasPrefix(name, "tmp_") || !d.IsDir() && strings.HasPrefix(rel, "liza/journal/") {
			left = append(left, rel)
		}
		return err
	}))
	require.Empty(t, left)
}

// A lock below refs/liza/remote/ that no process of ours took is named, and is
// not taken for a remote that cannot be reached.
func TestForeignLockOnWhatWasFetched(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	lock := filepath.Join(l.a.dir, ".git/refs/liza/remote/origin/state.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o666))
	l.b.add("task-1")
	_, err := l.a.store.Sync(context.Background())
	var locked *Locked
	require.ErrorAs(t, err, &locked)
	require.ErrorContains(t, err, lock)
	require.Equal(t, "git liza doctor --unlock", locked.Hint)
	require.NotErrorIs(t, err, ErrOffline)
	require.FileExists(t, lock)
	require.NoError(t, os.Remove(lock))
	l.agree(t)
}

// A fetch that is killed leaves the locks of the refs that it writes.
func TestFetchKilled(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.later()
	l.b.add("task-1")
	gitDir := filepath.Join(l.a.dir, ".git")
	hook := filepath.Join(gitDir, "hooks", "reference-transaction")
	script(t, hook, "#!/bin/sh\n[ \"$1\" = prepared ] && kill -9 $PPID\n")
	_, err := l.a.store.Sync(context.Background())
	require.ErrorContains(t, err, "killed")
	require.NoError(t, os.Remove(hook))
	_, err = l.a.store.Sync(context.Background())
	require.NoError(t, err)
	noLeftovers(t, gitDir)
	l.agree(t)
}

// A git that could neither move nor unlock its refs, because their folder was
// read-only for a moment, leaves the journal's entry with its locks.
func TestReadOnlyForAMoment(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	exe, as := unprivileged(t)
	give := func(uid, gid int) {
		require.NoError(t, filepath.WalkDir(v.dir, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, uid, gid))
		}))
	}
	if as.Credential != nil {
		require.NoError(t, os.Chmod(filepath.Dir(v.dir), 0o755))
		give(int(as.Credential.Uid), int(as.Credential.Gid))
	}
	folder := filepath.Join(v.r.CommonDir(), "refs/liza")
	hook := filepath.Join(v.r.CommonDir(), "hooks", "reference-transaction")
	script(t, hook, "#!/bin/sh\n[ \"$1\" = prepared ] && chmod a-w '"+folder+"'\nexit 0\n")
	require.NoError(t, os.Chmod(hook, 0o755))
	cmd := exec.Command(exe, v.dir, StateRef+"="+string(v.first)+"="+string(v.second))
	cmd.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=move")
	cmd.SysProcAttr = as
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "%s", out)
	require.True(t, v.locked(StateRef), "%s", out)
	require.NotEmpty(t, v.journal())

	require.NoError(t, os.Chmod(folder, 0o755))
	v.unhook(t)
	give(os.Geteuid(), os.Getegid())
	v.completes(t)
}

// A copy of a repository has the locks and the journal of a transaction that
// was under way; they are other files, and nobody holds the entry.
func TestCopyOfALockedRepository(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]func(*testing.T, *victim) (undo func()){
		"before prepare": func(t *testing.T, v *victim) func() {
			v.hook(t, "prepared")
			v.start(t)
			until(t, "git holds its locks", func() bool { return exists(filepath.Join(v.r.CommonDir(), "in-hook")) })
			return func() { v.unhook(t) }
		},
		"before commit": func(t *testing.T, v *victim) func() {
			undo := v.stall(t, StateRef)
			v.start(t)
			until(t, "the journal knows the locks", func() bool { return strings.Contains(v.journal(), "\nlock ") })
			return undo
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			undo := wait(t, v)
			dir := filepath.Join(t.TempDir(), "copy")
			copyRepository(t, v.dir, dir)
			require.NoError(t, open(t, dir).Recover(context.Background()))
			require.True(t, v.locked("refs/heads/int"), "the copy's journal is not about the original")
			require.NoFileExists(t, filepath.Join(dir, ".git/refs/heads/int.lock"))
			v.kill(t)
			undo()
			v.completes(t)
		})
	}
}

// copyRepository copies a repository as `cp -a` does, without what is no file.
func copyRepository(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, text, info.Mode()); err != nil {
			return err
		}
		return os.Chtimes(target, time.Time{}, info.ModTime())
	}))
}

// Git itself moves the refs of this clone that the user has configured for what
// the remote has; killed in that, it must not stop the user's own fetch.
func TestPushKilledAtAConfiguredRef(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.later()
	l.a.add("task-1")
	commit := l.a.submit("task-1", coder, "a.md", "one\n")
	l.a.approve("task-1", commit)
	gitDir := filepath.Join(l.a.dir, ".git")
	hook := filepath.Join(gitDir, "hooks", "reference-transaction")
	script(t, hook, "#!/bin/sh\n[ \"$1\" = prepared ] && grep -q refs/remotes/origin/integration && kill -9 0\nexit 0\n")
	cmd := storeChild(os.Args[0], l.a.dir, "merge-task", "task-1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	_ = cmd.Run() // git alone dies, in a session of its own
	require.NoError(t, os.Remove(hook))
	_, err := l.a.store.Sync(context.Background())
	require.NoError(t, err)
	noLeftovers(t, gitDir)
	git(t, l.a.dir, "fetch", "-q", "origin")
	l.agree(t)
}

// A lock of git on the configuration is told to be a dead process's by that
// nobody has it open; one that is open stays.
func TestConfigLockOfTheDead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := open(t, seeded(t))
	path := filepath.Join(r.CommonDir(), "config.lock")
	old := time.Now().Add(-time.Minute)
	killed := func() *os.File {
		entry, err := r.openJournal(context.Background(), leaves{files: []string{path}})
		require.NoError(t, err)
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, os.Chtimes(path, old, old))
		rewind(t, entry.path, old)
		entry.file.Close()
		return f
	}
	f := killed()
	require.NoError(t, r.Recover(ctx))
	require.FileExists(t, path, "somebody writes it")
	require.NoError(t, f.Close())
	require.NoError(t, os.Remove(path))

	require.NoError(t, killed().Close())
	require.NoError(t, r.WriteConfig(ctx, "liza.test", "on"))
	require.Equal(t, "on", git(t, r.CommonDir(), "config", "liza.test"))
	noLeftovers(t, r.CommonDir())
}

// rewind dates an entry of the journal.
func rewind(t *testing.T, path string, at time.Time) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "\n")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "at %d\n%s", at.UnixNano(), rest), 0o666))
}
