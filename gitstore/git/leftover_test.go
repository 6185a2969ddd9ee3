package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

// A git that could neither move nor unlock its refs, because their folder was
// read-only for a moment, leaves the journal's entry with its locks.
func TestReadOnlyForAMoment(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	exe, as := gittest.Unprivileged(t)
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
	gittest.Script(t, hook, "#!/bin/sh\n[ \"$1\" = prepared ] && chmod a-w '"+folder+"'\nexit 0\n")
	require.NoError(t, os.Chmod(hook, 0o755))
	cmd := exec.Command(exe, v.dir, layout.State+"="+string(v.first)+"="+string(v.second))
	cmd.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=move")
	cmd.SysProcAttr = as
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "%s", out)
	require.True(t, v.locked(layout.State), "%s", out)
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
			gittest.Until(t, "git holds its locks", func() bool { return fileExists(filepath.Join(v.r.CommonDir(), "in-hook")) })
			return func() { v.unhook(t) }
		},
		"before commit": func(t *testing.T, v *victim) func() { return v.holdLocks(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			undo := wait(t, v)
			dir := filepath.Join(t.TempDir(), "copy")
			copyRepository(t, v.dir, dir)
			require.NoError(t, open(t, dir).Journal.Recover(context.Background()))
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

// A lock of git on the configuration is told to be a dead process's by that
// nobody has it open; one that is open stays.
func TestConfigLockOfTheDead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := open(t, gittest.Seeded(t))
	path := filepath.Join(r.CommonDir(), "config.lock")
	old := time.Now().Add(-time.Minute)
	killed := func() (f *os.File) {
		// A process that another test starts meanwhile would have the entry open for a moment.
		gittest.WhileNobodyStarts(t, func() error {
			entry, err := r.Journal.open(context.Background(), Leftovers{Files: []string{path}})
			if err != nil {
				return err
			}
			f, err = os.Create(path)
			if err := errors.Join(err, os.Chtimes(path, old, old)); err != nil {
				return err
			}
			rewind(t, entry.path, old)
			return entry.file.Close()
		})
		return f
	}
	f := killed()
	require.NoError(t, r.Journal.Recover(ctx))
	require.FileExists(t, path, "somebody writes it")
	require.NoError(t, f.Close())
	require.NoError(t, os.Remove(path))

	require.NoError(t, killed().Close())
	require.NoError(t, r.Config.WriteConfig(ctx, "liza.test", "on"))
	require.Equal(t, "on", gittest.Git(t, r.CommonDir(), "config", "liza.test"))
	gittest.NoLeftovers(t, r.CommonDir())
}

// rewind dates an entry of the journal.
func rewind(t *testing.T, path string, at time.Time) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "\n")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "at %d\n%s", at.UnixNano(), rest), 0o666))
}

// Locks of a dead process are cleared before git wants them: it neither waits for them
// nor starts twice.
func TestLocksOfTheDeadAreClearedFirst(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	undo := v.holdLocks(t)
	v.kill(t)
	undo()
	require.True(t, v.locked(layout.State))
	next := exec.Command(os.Args[0], v.dir, layout.State+"="+string(v.first)+"="+string(v.second))
	next.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=move", "LIZA_TRACE=1")
	out, err := next.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, 1, strings.Count(string(out), " update-ref "), "%s", out)
	v.completes(t)
}

// An entry without the locks that its process got tells them by their content, and only
// while the process may have taken them: an equal lock that was taken before the entry
// or long after it is another process's.
func TestLockOfAnotherTimeStays(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	lock := filepath.Join(v.r.CommonDir(), "refs/heads/int.lock")
	begun := time.Now().Add(-time.Hour)
	for _, test := range []struct {
		at    time.Time
		stays bool
	}{{begun.Add(-time.Second), true}, {begun.Add(orphanLimit + time.Second), true}, {begun.Add(time.Second), false}} {
		gittest.Write(t, v.r.Journal.Dir(), "1-dead", fmt.Sprintf("at %d\nref %s refs/heads/int.lock\n", begun.UnixNano(), v.second))
		gittest.Write(t, v.r.CommonDir(), "refs/heads/int.lock", string(v.second)+"\n")
		require.NoError(t, os.Chtimes(lock, test.at, test.at))
		require.NoError(t, v.r.Journal.Recover(context.Background()))
		require.Equal(t, test.stays, v.locked("refs/heads/int"), "%s after its entry", test.at.Sub(begun))
		require.Empty(t, v.journal())
	}
}
