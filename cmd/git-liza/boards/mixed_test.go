package boards

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// earlier are programs of earlier rules that are run beside the present one: the first
// revision whose boards are kept in use, and the last ones of rules 2, 3 and 4.
var earlier = []oldRevision{
	{"236f646", 1, "life.sh", []string{"f4a61dc-plain", "f4a61dc-signed", "f4a61dc-founded", "f4a61dc-rush"}},
	{"df96c3e9e3165be2215ac65b93d09c31c457add2", 2, "version2.sh", []string{"9fee5a5-version2", "9fee5a5-version2-signed", "9fee5a5-migrated-signed", "9fee5a5-rush", "f4a61dc-signed"}},
	{"27ec26dac176a95f2b7e1b02862ac97209fc30e6", 3, "version3.sh", []string{"7ad303a-version3", "7ad303a-version3-signed", "7ad303a-rush", "9fee5a5-version2-signed"}},
	{"700bb8b6788b5c2657c2bfbdf94bfc7233f58277", 4, "version4.sh", []string{"01558001-version4", "01558001-version4-signed", "01558001-rush", "7ad303a-version3-signed"}},
}

// An oldRevision is the revision of an earlier program.
type oldRevision struct {
	revision string
	rules    int      // the newest that it knows
	life     string   // the story of a board of these rules
	boards   []string // golden boards of rules that it knows
}

// wanted are the first and the last of the earlier programs, and all of them where tests
// are thorough.
func wanted() []oldRevision {
	if torture.Thorough() {
		return earlier
	}
	return []oldRevision{earlier[0], earlier[len(earlier)-1]}
}

// A program of earlier rules works on boards of rules that it knows, beside the present one
// and in turns with it, on one clone.
func TestTortureMixedPrograms(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for _, e := range wanted() {
		old := oldProgram(t, e.revision)
		for _, name := range e.boards {
			t.Run(fmt.Sprintf("rules %d on %s", e.rules, name), func(t *testing.T) {
				t.Parallel()
				dir := unpackBoard(t, goldenNamed(t, name))
				store, _, at := openBoard(t, dir)
				board, _, err := store.Board(t.Context())
				require.NoError(t, err)
				require.LessOrEqual(t, board.Settings().Rules, e.rules)
				for turn, program := range []string{old, present, old, present} {
					for _, args := range [][]string{{"fsck", "--full"}, {"status"}, {"list", "--all"}, {"log"}, {"state"}} {
						liza(t, program, dir, at, args...)
					}
					at = at.Add(time.Minute)
					liza(t, program, dir, at, "note", fmt.Sprintf("turn %d", turn))
				}
				liza(t, old, dir, at, "fsck", "--full")
				liza(t, present, dir, at, "fsck", "--full")
			})
		}
	}
}

// goldenNamed is the golden board of that name.
func goldenNamed(t *testing.T, name string) golden {
	t.Helper()
	i := slices.IndexFunc(goldens, func(g golden) bool { return g.name == name })
	require.GreaterOrEqual(t, i, 0, "there is no golden board %s", name)
	return goldens[i]
}

// The whole life of a board, each command by the other program than the one before.
func TestTortureMixedLife(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for _, e := range wanted() {
		old := oldProgram(t, e.revision)
		for first, name := range []string{"old first", "present first"} {
			t.Run(fmt.Sprintf("rules %d, %s", e.rules, name), func(t *testing.T) {
				t.Parallel()
				dir := play(t, alternate(t, old, first), e.life, "1")
				_, _, at := openBoard(t, dir)
				for _, program := range []string{old, present} {
					liza(t, program, dir, at, "fsck", "--full")
				}
			})
		}
	}
}

// alternate returns a folder with a git-liza that is the old and the present program
// in turns, beginning with the old one if first is 0, and with the helper of the
// stories. The old program makes the board once the present one makes newer ones.
func alternate(t *testing.T, old string, first int) string {
	t.Helper()
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	gittest.Write(t, dir, "count", fmt.Sprintln(first))
	founds := ""
	if flow.RulesVersion > 1 {
		founds = "test \"$1\" = init && n=0\n"
	}
	gittest.Script(t, filepath.Join(dir, "git-liza"), fmt.Sprintf("#!/bin/sh\nn=$(cat '%s')\necho $((n + 1)) >'%s'\n%scase $((n %% 2)) in\n0) exec '%s/git-liza' \"$@\" ;;\nesac\nexec '%s/git-liza' \"$@\"\n",
		count, count, founds, old, present))
	build(t, ".", "./testdata/record/act.go", filepath.Join(dir, "liza-act"))
	return dir
}

// Clones of both programs share a board through a server with the hooks of either.
func TestTortureMixedServer(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for _, e := range wanted() {
		old := oldProgram(t, e.revision)
		for _, test := range []struct{ name, hooks, planner, coder string }{
			{"present hooks, old planner", present, old, present},
			{"present hooks, old coder", present, present, old},
			{"old hooks, old planner", old, old, present},
			{"old hooks, old coder", old, present, old},
			{"old hooks, present clones", old, present, present},
			{"present hooks, old clones", present, old, old},
		} {
			t.Run(fmt.Sprintf("rules %d, %s", e.rules, test.name), func(t *testing.T) {
				t.Parallel()
				server := newServer(t, test.hooks)
				founder := old // makes the board of rules that both know
				planner, coder := shareBoard(t, founder, test.planner, test.coder, server)
				workInTurn(t, planner, coder)
				for _, dir := range []string{server, planner(), coder()} {
					for _, program := range []string{old, present} {
						liza(t, program, dir, time.Now(), "fsck", "--full")
					}
				}
				require.Equal(t, gittest.Git(t, planner(), "rev-parse", "refs/liza/state"), gittest.Git(t, coder(), "rev-parse", "refs/liza/state"))
			})
		}
	}
}

// workInTurn brings a task to integration on a board that two clones share.
func workInTurn(t *testing.T, planner, coder func(args ...string) string) {
	t.Helper()
	planner("task", "add", "one", "--title", "One", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
	coder("claim", "one", "--as", "coder-1")
	coder("intent", "one", "--as", "coder-1", "--summary", "S", "--validation", "V")
	gittest.Write(t, coder(), ".worktrees/one/one.txt", "one\n")
	gittest.Git(t, filepath.Join(coder(), ".worktrees", "one"), "add", ".")
	gittest.Git(t, filepath.Join(coder(), ".worktrees", "one"), "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "One")
	coder("submit", "one", "--as", "coder-1")
	planner("review", "one", "--as", "code-reviewer-1")
	planner("approve", "one", "--as", "code-reviewer-1", "--commit", gittest.Git(t, coder(), "rev-parse", "liza/one"))
	coder("merge", "one")
	planner("note", "Merged")
	coder("sync")
	planner("sync")
}

// shareBoard makes a board on a server and two clones that hold it there. Each of the
// functions runs a command by the program of its clone, and returns the clone's folder.
func shareBoard(t *testing.T, founder, planner, coder, server string) (first, second func(args ...string) string) {
	t.Helper()
	clone := func(program string) func(args ...string) string {
		dir := filepath.Join(t.TempDir(), "clone")
		env := environment(t, program)
		return func(args ...string) string {
			t.Helper()
			if len(args) == 0 {
				return dir
			}
			cmd := exec.Command(args[0], args[1:]...)
			if args[0] != "git" {
				cmd = exec.Command(filepath.Join(program, "git-liza"), args...)
			}
			cmd.Dir, cmd.Env = dir, env
			if _, err := os.Stat(dir); err != nil {
				cmd.Dir = filepath.Dir(dir)
			}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s", strings.Join(args, " "), out)
			return dir
		}
	}
	first, second = clone(planner), clone(coder)
	dir := first("git", "clone", "-q", server, first())
	gittest.Write(t, dir, "specs/vision.md", "# A small product\n")
	first("git", "add", "-A")
	first("git", "commit", "-q", "-m", "first")
	first("git", "push", "-q", "origin", "HEAD:main")
	founding := command(t, founder, dir, time.Now(), "init", "--remote", "origin")
	out, err := founding.CombinedOutput()
	require.NoError(t, err, "%s", out)
	second("git", "clone", "-q", "-b", "main", server, second())
	second("sync", "--set", "origin")
	return first, second
}
