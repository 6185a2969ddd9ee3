package main

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/internal/torture"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/killpoint"
)

// A killedCommand is one that is killed at its file operations, after what comes
// before it; status is that of its task once it was repeated.
type killedCommand struct {
	before [][]string
	args   []string
	status string
	once   bool   // it is refused after it was made
	task   string // of which status is; "" is t
}

// killedCommands follow one task through its life.
func killedCommands() map[string]killedCommand {
	const coder, reviewer = "--as=coder-1", "--as=code-reviewer-1"
	tree := filepath.Join(".worktrees", "t")
	claimed := [][]string{{"git-liza", "task", "add", "t", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs"},
		{"git-liza", "claim", "t", coder}}
	worked := append(claimed[:2:2], []string{"git-liza", "intent", "t", coder, "--summary", "S", "--validation", "V"},
		[]string{"sh", "-c", "echo one >" + tree + "/t.txt"}, []string{"git", "-C", tree, "add", "-A"}, []string{"git", "-C", tree, "commit", "-q", "-m", "t"})
	submitted := append(worked[:len(worked):len(worked)], []string{"git-liza", "submit", "t", coder})
	reviewed := append(submitted[:len(submitted):len(submitted)], []string{"git-liza", "review", "t", reviewer})
	const verdict = `git-liza "$0" t --as=code-reviewer-1 --commit=$(git rev-parse liza/t) "$@"`
	approve := []string{"sh", "-c", verdict, "approve"}
	approved := append(reviewed[:len(reviewed):len(reviewed)], approve)
	// The first attempt is given up with a file that no commit has.
	stale := append(worked[:len(worked):len(worked)], []string{"sh", "-c", "echo late >" + tree + "/late.txt"},
		[]string{"git-liza", "block", "t", coder, "--reason", "R", "--question", "Q"}, []string{"git-liza", "task", "unblock", "t", "--unanswered"}, []string{"git-liza", "claim", "t", "--as=coder-2"},
		[]string{"sh", "-c", "echo later >" + tree + "/later.txt"})
	merged := append(approved[:len(approved):len(approved)], []string{"git-liza", "merge", "t"})
	// The hooks of somebody else's folder: ours are set in the configuration.
	elsewhere := [][]string{{"git-liza", "hooks", "uninstall"}, {"git", "config", "core.hooksPath", "tools/hooks"}}
	return map[string]killedCommand{
		"init":    {[][]string{{"sh", "-c", "rm -rf .git; git init -q -b main; git add -A; git commit -q -m first"}}, []string{"git-liza", "init"}, "", false, ""},
		"claim":   {claimed[:1], claimed[1], "CLAIMED", false, ""},
		"submit":  {worked, []string{"git-liza", "submit", "t", coder}, "READY_FOR_REVIEW", false, ""},
		"review":  {submitted, []string{"git-liza", "review", "t", reviewer}, "READY_FOR_REVIEW", false, ""},
		"approve": {reviewed, approve, "APPROVED", false, ""},
		"reject":  {reviewed, []string{"sh", "-c", verdict, "reject", "--reason=- [blocker] t.txt:1 — says too little"}, "REJECTED", false, ""},
		"merge":   {approved, []string{"git-liza", "merge", "t"}, "MERGED", false, ""},
		"release": {claimed, []string{"git-liza", "release", "t"}, "UNCLAIMED", true, ""},
		"hooks":   {elsewhere, []string{"git-liza", "hooks", "install"}, "", false, ""},
		"unhook":  {append(elsewhere[:2:2], []string{"git-liza", "hooks", "install"}), []string{"git-liza", "hooks", "uninstall"}, "", false, ""},
		"undo":    {merged, []string{"git-liza", "undo", "t"}, "READY_FOR_REVIEW", false, "undo-t"},
		"now":     {merged, []string{"git-liza", "undo", "t", "--now", "--reopen"}, "MERGED", false, ""},
		"prune":   {stale, []string{"git-liza", "worktree", "prune"}, "CLAIMED", false, ""},
	}
}

// Killed at a file operation, of its own or of any git that it runs, a command
// stops nobody: the next command of another works, git's own commands do,
// repeating it completes it, and nothing is left over.
func TestTortureKilledCommands(t *testing.T) {
	t.Parallel()
	torture.Only(t)
	for name, c := range killedCommands() {
		around := map[string]string{"hooks": "/config.lock", "unhook": "/config.lock"}[name] // killed at each operation on it too
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			for _, args := range c.before {
				p.must(args...)
			}
			kept := filepath.Join(filepath.Dir(p.repo), "kept")
			p.must("cp", "-a", p.repo, kept)
			operations := p.killedAt(c, 0).Operations
			require.Greater(t, len(operations), 5)
			points := torture.Points(len(operations), 5)
			count := len(points)
			for i, operation := range operations {
				if around != "" && strings.Contains(operation, around) {
					points = append(points, i+1)
				}
			}
			require.True(t, around == "" || len(points) > count, "no operation on %s", around)
			for _, n := range points {
				require.NoError(t, os.RemoveAll(p.repo))
				require.NoError(t, os.CopyFS(p.repo, os.DirFS(kept)))
				ended := p.killedAt(c, n)
				at := ended.Operations[len(ended.Operations)-1]
				p.recovers(c, at)
			}
		})
	}
}

func (p *playground) killedAt(c killedCommand, n int) killpoint.Ended {
	p.t.Helper()
	return killpoint.Trace(p.t, killpoint.Run{Args: c.args, Dir: p.repo, Env: p.env, At: n})
}

// recovers requires that all is well after a kill.
func (p *playground) recovers(c killedCommand, at string) {
	p.t.Helper()
	next := []string{"git-liza", "note", "the next command", "--as=human:ann"}
	if c.args[1] == "init" {
		next = c.args // without a board nobody makes a move
	}
	// A lock without content counts as left over when it is a second old.
	for begun := true; begun; begun = len(p.entries()) > 0 {
		p.mustAt(at, next...)
	}
	for _, args := range [][]string{{"git", "fetch", "-q", ".", "main"}, {"git", "fsck", "--no-dangling"}, {"git", "gc", "-q"}} {
		p.mustAt(at, args...)
	}
	task := cmp.Or(c.task, "t")
	if !c.once || p.show(task)["status"] != c.status {
		p.mustAt(at, c.args...)
	}
	if c.status != "" {
		require.Equal(p.t, c.status, p.show(task)["status"], at)
	}
	p.mustAt(at, "git-liza", "fsck", "--full")
	p.mustAt(at, "git-liza", "fsck", "--board")
	require.Empty(p.t, p.litter(), at)
}

func (p *playground) mustAt(at string, args ...string) {
	p.t.Helper()
	code, stdout, stderr := p.run(nil, args...)
	require.Zero(p.t, code, "killed at %s: %v: %s%s", at, args, stdout, stderr)
}

// entries are transactions in the journal that nobody has recovered from yet.
func (p *playground) entries() []string {
	p.t.Helper()
	list, err := filepath.Glob(filepath.Join(p.repo, ".git/liza/journal/*[A-Z0-9]"))
	require.NoError(p.t, err)
	return list
}

// lasting are files of ours that are there for good, and the beginnings of a
// journal's entries, which are cleared when they are minutes old.
var lasting = regexp.MustCompile(`/liza/((worktrees-((take-)?[0-9a-f]+|pins)|queue|move|push|merge|planner)\.lock|journal/[^/]*\.new)$`)

// litter are the files that a killed process may leave.
func (p *playground) litter() []string {
	p.t.Helper()
	var found []string
	err := filepath.WalkDir(p.repo, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		left := strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".new") || strings.HasPrefix(name, ".gone-") || strings.HasPrefix(name, ".new-") ||
			strings.Contains(path, "/liza/journal/") || strings.HasPrefix(name, "scratch-") || strings.HasPrefix(name, "gate-")
		if left && !lasting.MatchString(path) {
			found = append(found, path)
		}
		return err
	})
	require.NoError(p.t, err)
	return found
}
