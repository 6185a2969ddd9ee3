package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/internal/torture"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/killpoint"
)

// A site is a server with its hooks and two clones; it can be copied, so that
// each kill finds the same.
type site struct {
	*playground
	root string
}

// newSite makes a site in which clone b lacks a move, and clone c has joined
// nothing yet; with a board unless bare is asked for.
func newSite(t *testing.T, board bool) *site {
	t.Helper()
	p := newPlayground(t)
	s := &site{playground: p, root: filepath.Join(t.TempDir(), "site")}
	s.sh(t, "", `mkdir -p "$ROOT" && cd "$ROOT"
git init -q --bare s.git
git init -q -b main a && cd a && mkdir specs && echo '# Goal' >specs/vision.md && git add -A && git commit -qm first
git remote add origin ../s.git && git push -q origin main && cd ..
(cd s.git && git-liza hooks install --server >/dev/null)`)
	if board {
		s.sh(t, "", `cd "$ROOT/a" && git-liza init --remote origin >/dev/null
add() { git-liza task add "$1" --title t --done-when d --spec specs/vision.md --scope s --owns "$1.txt" --kind docs >/dev/null; }
add t1; add t2
cd .. && git clone -q s.git b && cd b && git remote set-url origin ../s.git && git-liza sync --set origin >/dev/null
cd ../a && add t3`)
	}
	return s
}

// copy is the same site at another place.
func (s *site) copy(t *testing.T) *site {
	t.Helper()
	to := &site{playground: s.playground, root: filepath.Join(t.TempDir(), "site")}
	s.sh(t, "", "cp -a "+s.root+" "+to.root)
	return to
}

// sh runs a script below a folder of the site.
func (s *site) sh(t *testing.T, dir, script string) string {
	t.Helper()
	out, err := s.try(dir, script)
	require.NoError(t, err, "%s\n%s", script, out)
	return out
}

func (s *site) try(dir, script string) (string, error) {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = filepath.Join(s.root, dir)
	if dir == "" {
		cmd.Dir = os.TempDir()
	}
	cmd.Env = append(append([]string{}, s.env...), "ROOT="+s.root)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// leftovers are locks, entries of journal and outbox, and temporary files.
func (s *site) leftovers(t *testing.T) (left []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(s.root, func(path string, d os.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, s.root+"/")
		name := d.Name()
		ours := strings.Contains(rel, "/liza/")
		if strings.HasSuffix(name, ".lock") && !ours || strings.HasSuffix(name, ".new") || strings.Contains(name, "tmp_") ||
			!d.IsDir() && (strings.Contains(rel, "liza/journal/") || strings.Contains(rel, "liza/outbox/")) {
			left = append(left, rel)
		}
		return err
	}))
	return left
}

// A kill is a command that is killed at its file operations.
type kill struct {
	board  bool
	dir    string
	args   []string
	within string // only processes below one with this in its command line
	alone  bool   // only the process that makes the operation
	next   string // what another process does then, which needs no help
	stride int    // of torture that is not thorough
}

var kills = map[string]kill{
	"sync":        {stride: 7, board: true, dir: "b", args: []string{"git-liza", "sync"}, next: "cd ../b && git-liza sync && git-liza pause --reason later"},
	"move":        {stride: 17, board: true, dir: "b", args: []string{"git-liza", "claim", "t1", "--as", "coder-1"}, next: "git-liza claim t2 --as coder-2 && cd ../b && git-liza claim t1 --as coder-1"},
	"init":        {stride: 29, dir: "a", args: []string{"git-liza", "init", "--remote", "origin"}, next: "git-liza init --remote origin && git-liza pause --reason later"},
	"server":      {stride: 4, board: true, dir: "b", args: []string{"git-liza", "pause", "--reason", "first"}, within: "receive-pack", next: "git-liza claim t2 --as coder-2 || git-liza resume --reason later"},
	"server part": {stride: 4, board: true, dir: "b", args: []string{"git-liza", "pause", "--reason", "first"}, within: "receive-pack", alone: true, next: "git-liza claim t2 --as coder-2 || git-liza resume --reason later"},
}

func (k kill) trace(t *testing.T, s *site, n int) killpoint.Ended {
	t.Helper()
	args := append([]string{filepath.Join(s.bin, k.args[0])}, k.args[1:]...)
	return killpoint.Trace(t, killpoint.Run{Args: args, Dir: filepath.Join(s.root, k.dir), Env: s.env, At: n, Within: k.within, Alone: k.alone})
}

// After a kill at any file operation the next command of another process works
// without help, git's own commands do, and nothing is left.
func (k kill) at(t *testing.T, site *site, n int) (killed bool) {
	t.Helper()
	s := site.copy(t)
	ended := k.trace(t, s, n)
	if !ended.Killed {
		require.Zero(t, ended.Code, ended.Output)
		return false
	}
	where := fmt.Sprintf("killed at %d: %s\n%s", n, ended.Operations[n-1], ended.Output)
	out, err := s.try("a", k.next)
	require.NoError(t, err, "%s\n%s", where, out)
	// git itself clears, in time, what a receive-pack left that has not called its hook.
	apart, err := filepath.Glob(filepath.Join(s.root, "s.git/objects/tmp_objdir-*"))
	require.NoError(t, err)
	if slices.ContainsFunc(ended.Operations[:n-1], func(o string) bool { return strings.Contains(o, " rename ") && strings.Contains(o, "/journal/push-") }) {
		require.Empty(t, apart, where)
	}
	// A later command clears what was too young to judge.
	for try := 0; try < 50 && slices.ContainsFunc(s.leftovers(t), func(path string) bool { return !strings.Contains(path, "/tmp_objdir-") }); try++ {
		s.sh(t, "a", "git-liza pause --reason again && git-liza resume --reason again")
		s.sh(t, "", `cd "$ROOT" && if test -e b; then cd b && git-liza sync; fi`)
	}
	for _, dir := range []string{"a", "b", "s.git"} {
		if _, err := os.Stat(filepath.Join(s.root, dir)); err != nil {
			continue
		}
		gc := "git gc -q"
		if len(apart) > 0 {
			gc += " --prune=now"
		}
		out, err := s.try(dir, "git fsck --no-dangling && "+gc+" && { test ! -e .git || git fetch -q; }")
		require.NoError(t, err, "%s\n%s: %s", where, dir, out)
	}
	require.Empty(t, s.leftovers(t), where)
	return true
}

// A server's hook that dies before it has removed the file that it flushed the disk
// with leaves nothing to the next push.
func TestKilledBesideItsFlush(t *testing.T) {
	t.Parallel()
	k := kills["init"]
	site := newSite(t, k.board)
	ended := k.trace(t, site.copy(t), 0)
	require.Zero(t, ended.Code, ended.Output)
	n := 0
	for i, operation := range ended.Operations {
		if strings.Contains(operation, "unlink") && strings.Contains(operation, "/s.git/objects/tmp_obj_") {
			n = i + 1
		}
	}
	require.NotZero(t, n, "no hook of the server has flushed the disk")
	require.True(t, k.at(t, site, n))
}

// A receive-pack that is killed before it has written into its lock stops no push that
// comes in the same moment.
func TestKilledBeforeALockIsWritten(t *testing.T) {
	t.Parallel()
	k := kills["init"]
	site := newSite(t, k.board)
	operations := k.trace(t, site.copy(t), 0).Operations
	n := 1 + slices.IndexFunc(operations, func(what string) bool {
		return strings.HasPrefix(what, "git-receive-pack") && strings.Contains(what, " write ") && strings.HasSuffix(what, "/refs/liza/state.lock")
	})
	require.NotZero(t, n, "no receive-pack has written a lock")
	for range 3 {
		require.True(t, k.at(t, site, n))
	}
}

func TestTortureKilledAtFileOperations(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for name, k := range kills {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := newSite(t, k.board)
			stride := k.stride
			if torture.Thorough() {
				stride = 1
			}
			for n := 1; k.at(t, site, n); n += stride {
			}
		})
	}
}
