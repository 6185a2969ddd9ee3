package stubs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A clone whose moves are watched: which hooks git starts, and what a stranger's hook is
// told.
type watchedClone struct {
	t                     *testing.T
	dir, home             string
	program, notes, trace string
	repo                  *git.Repo
}

// stranger is a hook that notes its state and the refs that it is told. Since git 2.54 there
// is a state before the locks, in which nothing is certain.
const stranger = "#!/bin/sh\n[ $1 != preparing ] || exit 0\nwhile read -r old new ref; do echo \"$1 $ref\"; done >>'NOTES'\n"

func watchClone(t *testing.T) *watchedClone {
	home := t.TempDir()
	c := &watchedClone{t: t, dir: gittest.Seeded(t), home: home, program: filepath.Join(home, "git-liza"),
		notes: filepath.Join(home, "notes"), trace: filepath.Join(home, "trace")}
	gittest.Script(t, c.program, "#!/bin/sh\necho program >>'"+c.notes+"'\nexit 3\n")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "global"))
	t.Setenv("GIT_TRACE2_EVENT", c.trace)
	return c
}

// writeStranger writes a stranger's hook into a folder.
func (c *watchedClone) writeStranger(folder string) {
	gittest.Script(c.t, filepath.Join(folder, transaction), strings.ReplaceAll(stranger, "NOTES", c.notes))
}

func (c *watchedClone) install() {
	require.NoError(c.t, Install(context.Background(), opened(c.t, c.dir), Options{Binary: c.program, Integration: "integration"}))
	gittest.WhileNobodyStarts(c.t, func() error { return nil })
}

// open opens the clone as a command does.
func (c *watchedClone) open(dir string) {
	c.repo = opened(c.t, dir)
	c.repo.IsOwnHook = OwnOnly(c.repo)
}

// move moves a ref of ours and a branch. It returns how many hooks git started, and
// what was noted.
func (c *watchedClone) move() (started int, noted string) {
	c.t.Helper()
	ctx := context.Background()
	require.NoError(c.t, os.RemoveAll(c.trace))
	require.NoError(c.t, os.RemoveAll(c.notes))
	head, err := c.repo.ParseCommit(ctx, "HEAD")
	require.NoError(c.t, err)
	require.NoError(c.t, c.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: layout.State, New: head, Any: true}, {Name: layout.TaskRefs + "a", New: head, Any: true}}, "x"))
	trace, err := os.ReadFile(c.trace)
	require.NoError(c.t, err)
	for line := range strings.Lines(string(trace)) {
		if strings.Contains(line, `"hook_name":"`+transaction+`"`) && !strings.Contains(line, `"preparing"]`) {
			started++
		}
	}
	notes, err := os.ReadFile(c.notes)
	if !os.IsNotExist(err) {
		require.NoError(c.t, err)
	}
	return started, string(notes)
}

// both is what a stranger's hook is told of a move.
const both = "prepared refs/liza/state\nprepared refs/heads/liza/a\ncommitted refs/liza/state\ncommitted refs/heads/liza/a\n"

// Our own move starts no hook where only our stub would run, and moves the refs all the
// same; the same move by anybody else is judged, and refused.
func TestOwnHookIsNotStarted(t *testing.T) {
	c := watchClone(t)
	c.install()
	c.open(filepath.Join(c.dir, "src"))
	started, noted := c.move()
	require.Zero(t, started)
	require.Empty(t, noted)
	head := gittest.Git(t, c.dir, "rev-parse", "HEAD")
	require.Equal(t, head, gittest.Git(t, c.dir, "rev-parse", layout.State))
	require.Equal(t, head, gittest.Git(t, c.dir, "rev-parse", "liza/a"))

	cmd := exec.Command("git", "-C", c.dir, "update-ref", "-d", layout.State)
	require.Error(t, cmd.Run())
	notes, err := os.ReadFile(c.notes)
	require.NoError(t, err)
	require.Equal(t, "program\n", string(notes))
	require.Equal(t, head, gittest.Git(t, c.dir, "rev-parse", layout.State))

	gittest.Git(t, c.dir, "symbolic-ref", "refs/heads/liza/a", "refs/heads/other")
	started, _ = c.move()
	require.Zero(t, started)
	require.Empty(t, gittest.Git(t, c.dir, "for-each-ref", "--format=%(symref)", "refs/heads/liza/a", "refs/heads/other"), "nobody judges what it stood for, nor is that moved")

	c.repo.IsOwnHook = nil
	started, noted = c.move()
	require.Equal(t, 2, started, "git does start hooks, which is seen")
	require.Empty(t, noted, "our stub finds that all was judged")
}

// Where a hook stands that is not our stub alone, git starts it as before.
func TestStrangersHooksAreCalled(t *testing.T) {
	for name, one := range map[string]struct {
		arrange func(c *watchedClone)
		noted   string // by the stranger's hook; our stub alone notes nothing
	}{
		"chained":          {func(c *watchedClone) { c.writeStranger(filepath.Join(c.dir, ".git/hooks")); c.install() }, both},
		"in place of ours": {func(c *watchedClone) { c.install(); c.writeStranger(filepath.Join(c.dir, ".git/hooks")) }, both},
		"through core.hooksPath": {func(c *watchedClone) {
			c.configure("core.hooksPath", ".husky")
			c.writeStranger(filepath.Join(c.dir, ".husky"))
			c.install()
		}, both},
		"there later": {func(c *watchedClone) {
			c.configure("core.hooksPath", ".husky")
			c.install()
			c.writeStranger(filepath.Join(c.dir, ".husky"))
		}, both},
		"core.hooksPath set later": {func(c *watchedClone) {
			c.install()
			c.writeStranger(filepath.Join(c.home, "own"))
			c.configure("core.hooksPath", filepath.Join(c.home, "own"))
		}, both},
		"relative, set later": {func(c *watchedClone) {
			c.install()
			c.writeStranger(filepath.Join(c.dir, ".git/own"))
			c.configure("core.hooksPath", "own")
		}, both},
		"of the user": {func(c *watchedClone) {
			c.install()
			c.writeStranger(filepath.Join(c.home, "own"))
			gittest.Git(c.t, c.dir, "config", "--global", "core.hooksPath", filepath.Join(c.home, "own"))
		}, both},
		"of the environment": {func(c *watchedClone) {
			c.install()
			c.writeStranger(filepath.Join(c.home, "own"))
			c.t.Setenv("GIT_CONFIG_PARAMETERS", "'core.hooksPath'='"+filepath.Join(c.home, "own")+"'")
		}, both},
		"ours, with one byte more": {func(c *watchedClone) {
			c.install()
			path := filepath.Join(c.dir, ".git/hooks", transaction)
			text, err := os.ReadFile(path)
			require.NoError(c.t, err)
			gittest.Script(c.t, path, string(text)+"\n")
		}, ""},
		"ours, no record": {func(c *watchedClone) {
			c.install()
			require.NoError(c.t, os.Remove(recordPath(filepath.Join(c.dir, ".git"))))
		}, ""},
		"ours, damaged record": {func(c *watchedClone) { c.install(); gittest.Write(c.t, c.dir, ".git/liza/hooks.json", "{") }, ""},
		"ours, configuration that only git reads": {func(c *watchedClone) {
			c.install()
			c.configure("includeIf.onbranch:main.path", "none")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := watchClone(t)
			one.arrange(c)
			c.open(c.dir)
			started, noted := c.move()
			require.Equal(t, 2, started)
			require.Equal(t, one.noted, noted)
		})
	}
}

func (c *watchedClone) configure(key, value string) { gittest.Git(c.t, c.dir, "config", key, value) }

// A folder that stands in for another one is ours alone while the other has no such hook.
func TestOwnHookInAnotherFolder(t *testing.T) {
	c := watchClone(t)
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, ".husky"), 0o777))
	c.configure("core.hooksPath", ".husky")
	c.install()
	c.open(c.dir)
	started, _ := c.move()
	require.Zero(t, started)
}

// A process that lasts sees a hook that comes while it runs.
func TestHookThatComesLater(t *testing.T) {
	c := watchClone(t)
	c.install()
	c.open(c.dir)
	started, _ := c.move()
	require.Zero(t, started)
	c.writeStranger(filepath.Join(c.home, "own"))
	gittest.Git(t, c.dir, "config", "--global", "core.hooksPath", filepath.Join(c.home, "own"))
	_, noted := c.move()
	require.Equal(t, both, noted)
	gittest.Git(t, c.dir, "config", "--global", "--unset", "core.hooksPath")
	started, _ = c.move()
	require.Zero(t, started)
}

// A worktree with configuration of its own says nothing about the hooks of the clone,
// where git moves the refs.
func TestHooksOfALinkedWorktree(t *testing.T) {
	c := watchClone(t)
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, c.dir, "worktree", "add", "-q", linked)
	c.install()
	c.open(linked)
	started, _ := c.move()
	require.Zero(t, started)
	c.configure("extensions.worktreeConfig", "true")
	c.writeStranger(filepath.Join(c.home, "own"))
	gittest.Git(t, c.dir, "config", "--worktree", "core.hooksPath", filepath.Join(c.home, "own"))
	_, noted := c.move()
	require.Equal(t, both, noted)
}

// The hook of a server is never left out.
func TestServerHookIsStarted(t *testing.T) {
	c := watchClone(t)
	server := filepath.Join(c.home, "server.git")
	gittest.Git(t, c.dir, "clone", "-q", "--bare", c.dir, server)
	gittest.Script(t, c.program, "#!/bin/sh\n")
	require.NoError(t, Install(context.Background(), opened(t, server), Options{Server: true, Binary: c.program, Integration: "integration"}))
	gittest.WhileNobodyStarts(t, func() error { return nil })
	c.open(server)
	started, _ := c.move()
	require.Equal(t, 2, started)
}

// Reflogs are the same with and without hooks, also that of HEAD for its branch.
func TestReflogsWithoutHooks(t *testing.T) {
	var logs []string
	for _, unhooked := range []bool{false, true} {
		c := watchClone(t)
		c.install()
		c.open(c.dir)
		if !unhooked {
			c.repo.IsOwnHook = nil
		}
		ctx := context.Background()
		head, err := c.repo.ParseCommit(ctx, "HEAD")
		require.NoError(t, err)
		next := git.ID(gittest.Git(t, c.dir, "commit-tree", "-p", string(head), "-m", "next", "HEAD^{tree}"))
		require.NoError(t, os.RemoveAll(c.trace))
		require.NoError(t, c.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: layout.State, New: head}, {Name: "refs/heads/main", Old: head, New: next}}, "x"))
		trace, err := os.ReadFile(c.trace)
		require.NoError(t, err)
		require.Equal(t, unhooked, !strings.Contains(string(trace), "hook_name"))
		logs = append(logs, gittest.Git(t, c.dir, "log", "--walk-reflogs", "--format=%gd %H %gs", "HEAD", "main", layout.State))
	}
	require.Equal(t, 4, strings.Count(logs[0], "\n"))
	require.Equal(t, logs[0], logs[1])
}
