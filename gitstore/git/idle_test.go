package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A deletion leaves its lock empty while hooks run: where a dead process of ours
// named that lock, and a living git has it, it stays, however old it is.
func TestEmptyLockOfTheLiving(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	v := newVictim(t)
	dead, err := v.r.Journal.open(ctx, Leftovers{Locks: v.r.Refs.LockFiles([]RefUpdate{{Name: "refs/heads/task", Old: v.first}})})
	require.NoError(t, err)
	require.NoError(t, dead.file.Close())
	v.hook(t, "prepared")
	living := exec.Command("git", "--git-dir="+v.r.CommonDir(), "update-ref", "-d", "refs/heads/task")
	require.NoError(t, living.Start())
	gittest.Until(t, "git holds its locks", func() bool { return fileExists(filepath.Join(v.r.CommonDir(), "in-hook")) })
	lock := filepath.Join(v.r.CommonDir(), "refs/heads/task.lock")
	info, err := os.Stat(lock)
	require.NoError(t, err)
	require.Zero(t, info.Size())
	gittest.Until(t, "the lock is older than a moment", func() bool { return time.Since(info.ModTime()) > emptyAge+100*time.Millisecond })
	require.NoError(t, v.r.Journal.Recover(ctx))
	require.FileExists(t, lock)
	require.NotEmpty(t, v.journal())
	require.NoError(t, os.WriteFile(filepath.Join(v.r.CommonDir(), "go"), []byte("go\n"), 0))
	require.NoError(t, living.Wait())
	v.unhook(t)
	require.NoError(t, v.r.Journal.Recover(ctx))
	require.Empty(t, v.journal())
}

// Only a git that began before, and works in this repository, can have made a
// lock: by its folder, its variable, its option, or in a linked work tree.
func TestAlone(t *testing.T) {
	t.Parallel()
	v, other := newVictim(t), newVictim(t)
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, v.dir, "worktree", "add", "-q", "--detach", linked)
	if start, _ := readStart(os.Getpid()); start == "" {
		t.Skip("this system does not tell of processes")
	}
	for name, run := range map[string]struct {
		dir  string
		env  string
		args []string
		here bool
	}{
		"in its folder":          {dir: v.dir, here: true},
		"in its git directory":   {dir: filepath.Join(v.dir, ".git"), here: true},
		"in a linked work tree":  {dir: linked, here: true},
		"by a variable":          {dir: other.dir, env: "GIT_DIR=" + v.r.CommonDir(), here: true},
		"by a relative variable": {dir: v.dir, env: "GIT_DIR=.git", here: true},
		"by an option":           {dir: other.dir, args: []string{"--git-dir=" + v.r.CommonDir()}, here: true},
		"in another":             {dir: other.dir},
		"another by an option":   {dir: v.dir, args: []string{"--git-dir=" + other.r.CommonDir()}},
	} {
		living := exec.Command("git", append(run.args, "hash-object", "--stdin")...)
		living.Dir, living.Env = run.dir, append(os.Environ(), run.env)
		in, err := living.StdinPipe()
		require.NoError(t, err)
		began := time.Now().Add(-time.Second)
		require.NoError(t, living.Start())
		gittest.Until(t, "the exec of git is done", func() bool {
			line, err := os.ReadFile("/proc/" + strconv.Itoa(living.Process.Pid) + "/cmdline")
			return err == nil && len(line) > 0
		})
		if run.here {
			require.False(t, v.r.Journal.noGitRunsSince(time.Now()), name)
		} else {
			gittest.Until(t, name+": no git of this machine is in the middle of its exec", func() bool { return v.r.Journal.noGitRunsSince(time.Now()) })
		}
		gittest.Until(t, name+": no git that began before is", func() bool { return v.r.Journal.noGitRunsSince(began) })
		require.NoError(t, in.Close())
		require.NoError(t, living.Wait())
	}
}

// A git in the middle of its exec has no command line and no environment yet:
// wherever it stands, it may be about to work here.
func TestMayHold(t *testing.T) {
	t.Parallel()
	v, other := newVictim(t), newVictim(t)
	line := func(words ...string) string { return strings.Join(append([]string{"git"}, words...), "\x00") + "\x00" }
	require.True(t, v.r.Journal.mayHoldLocks("", other.dir, "", true))
	require.True(t, v.r.Journal.mayHoldLocks("", v.dir, "", true))
	require.True(t, v.r.Journal.mayHoldLocks(line("gc"), v.dir, "", true), "it has no environment at all")
	require.False(t, v.r.Journal.mayHoldLocks(line("gc"), other.dir, "", true))
	require.True(t, v.r.Journal.mayHoldLocks(line("gc"), "", "", false), "another account's")
	require.False(t, v.r.Journal.mayHoldLocks(line("cat-file", "--batch"), v.dir, "", true))
}
