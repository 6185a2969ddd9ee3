package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
	"github.com/rogpeppe/go-internal/testscript"
)

// built is the git-liza that tests run as a process of its own.
var built string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain builds the program once. Tests start it some ten thousand times, and
// with the race detector each start takes four times as long, so that only the
// thorough torture has it there: what runs in the tests' own process has it always.
func testMain(m *testing.M) int {
	// A test that runs a command in its own process installs hooks that name
	// the test binary: as a hook it is the program, never the tests once more.
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		main()
	}
	if len(os.Args) > 1 && os.Args[1] == atTerminal {
		code, err := gittest.RunAtTerminal(os.Args[2], os.Args[3], os.Args[4:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}
	dir, err := os.MkdirTemp("", "git-liza")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	built = filepath.Join(dir, "git-liza")
	if err := gittest.Build(built, torture.Thorough()); err != nil {
		panic(err)
	}
	if err := os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	return gittest.Run(m, gittest.ForProcesses)
}

// TestScripts runs the stories in testdata/script: real git, the real program
// under its own name, a pinned environment and a clock that stands still
// unless a script shifts it with LIZA_NOW.
func TestScripts(t *testing.T) { runScripts(t) }

// TestTortureScripts runs them with the race detector in the program.
func TestTortureScripts(t *testing.T) {
	torture.OnlyThorough(t)
	runScripts(t)
}

func runScripts(t *testing.T) {
	// Under nohup the programs would ignore that a terminal was closed. Children do
	// not inherit a signal as ignored that this process handles.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	params := scripts()
	params.Dir = filepath.Join("testdata", "script")
	params.UpdateScripts = os.Getenv("UPDATE_SCRIPTS") != ""
	testscript.Run(t, params)
}

// scripts returns the parameters of scripts that no test has chosen yet.
func scripts() testscript.Params {
	return testscript.Params{RequireExplicitExec: true, Setup: pinned, Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "board": newBoard, "faulty": faulty, "hinted": hinted, "looks": looks, "needs": needs,
			"types": typeKeys, "twojudges": twoJudges, "withstood": withstood, "typed": typeMove}}
}

// condition answers what a script asks of the git that runs it: whether refs are in a
// reftable, whether ids are of sha256, and whether a push moves its refs at once; and whether
// the kernel confines commands.
func condition(name string) (bool, error) {
	switch name {
	case "reftable":
		return os.Getenv("GIT_DEFAULT_REF_FORMAT") == name, nil
	case "sha256":
		return os.Getenv("GIT_DEFAULT_HASH") == name, nil
	case "batches":
		version, err := exec.Command("git", "version").Output()
		var major, minor int
		if err == nil {
			_, err = fmt.Sscanf(string(version), "git version %d.%d", &major, &minor)
		}
		return major > 2 || minor >= 51, err
	case "confined":
		return proc.Confinement() == proc.ConfinedFully, nil
	}
	return false, fmt.Errorf("no condition is called %q", name)
}

// startOfStory is the time in which a script begins.
const startOfStory = "2026-01-17T14:00:00Z"

// formOfRepositories are the variables by which git makes them in another form, as this
// process was given them.
var formOfRepositories = slices.DeleteFunc(os.Environ(), func(v string) bool { return !strings.HasPrefix(v, "GIT_DEFAULT_") })

// unattended keeps git from tidying up behind a command's back: a test would end
// before it, and its folder would not be empty.
const unattended = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// pinned gives a script an identity, no configuration of this machine's, and
// names for the actors.
func pinned(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n" + unattended
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir)) // a repository around all is none of ours
	env.Setenv("LC_ALL", "C")
	env.Setenv("TZ", "UTC")
	env.Vars = append(env.Vars, formOfRepositories...)
	env.Setenv("NO_COLOR", "1")
	env.Setenv("GIT_AUTHOR_DATE", startOfStory)
	env.Setenv("GIT_COMMITTER_DATE", startOfStory)
	env.Setenv("GORACE", "atexit_sleep_ms=0") // a race-enabled program sleeps a second at its end otherwise
	env.Setenv("LIZA_NOW", startOfStory)
	unreleased, err := filepath.Abs(filepath.Join("testdata", "unreleased.bundle"))
	env.Setenv("UNRELEASED", unreleased)
	return err
}

// exits runs a command and holds its exit code against the first argument:
// exits 3 git liza claim task-1. Its output is there for stdout and stderr.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	code := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = strconv.Itoa(exit.ExitCode())
	}
	if code != args[0] {
		ts.Fatalf("%v exits %s, not %s", args[1:], code, args[0])
	}
	hint := refusalIn(ts.ReadFile("stdout"), ts.ReadFile("stderr")).Hint
	if word := unfilled(hint); code != "0" && word != "" {
		ts.Fatalf("%v: nobody has said why the program cannot fill in %s: %s", args[1:], word, hint)
	}
}

// atTerminal is the first argument of this test binary that runs a command for typeKeys.
const atTerminal = "at-terminal"

// typeKeys runs a command at a terminal, where a person types what a list says:
// types LIST COMMAND [ARG...]. What the list is, [gittest.Terminal.Follow] says. What the
// terminal showed is in the file $WORK/screen then, and the command's output is there for
// stdout and stderr.
func typeKeys(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] types LIST COMMAND [ARG...]")
	}
	self, err := os.Executable()
	ts.Check(err)
	screen := filepath.Join(ts.Getenv("WORK"), "screen")
	ts.Check(os.RemoveAll(screen))
	err = ts.Exec(self, append([]string{atTerminal, ts.ReadFile(args[0]), screen}, args[1:]...)...)
	if shown, unread := os.ReadFile(screen); unread == nil {
		ts.Logf("[screen]\n%s", shown)
	} else {
		ts.Fatalf("%v, %v", err, unread)
	}
	if neg != (err != nil) {
		ts.Fatalf("%v: %v", args[1:], err)
	}
}

// newBoard makes a repository with a spec and a blackboard in the folder
// named, default repo, and goes there: board [DIR].
func newBoard(ts *testscript.TestScript, neg bool, args []string) {
	dir := "repo"
	if len(args) == 1 {
		dir = args[0]
	}
	path := ts.MkAbs(dir)
	make := func(path string) error { return makeBoard(ts, path) }
	if _, err := os.Stat(path); dir == "repo" && os.IsNotExist(err) && isPinned(ts) {
		ts.Check(boards.Copy(path, make))
	} else {
		ts.Check(make(path))
	}
	ts.Check(ts.Chdir(dir))
}

// boards are those of stories that have changed nothing of what counts for them.
var boards gittest.Template

// isPinned reports whether a script has left the clock as it was.
func isPinned(ts *testscript.TestScript) bool {
	return ts.Getenv("LIZA_NOW") == startOfStory && ts.Getenv("GIT_AUTHOR_DATE") == startOfStory && ts.Getenv("GIT_COMMITTER_DATE") == startOfStory
}

func makeBoard(ts *testscript.TestScript, path string) error {
	ts.Check(os.MkdirAll(filepath.Join(path, "specs"), 0o755))
	ts.Check(os.WriteFile(filepath.Join(path, "specs", "vision.md"), []byte("# A small product\n"), 0o644))
	for _, command := range [][]string{
		{"git", "init", "-q", path}, {"git", "-C", path, "add", "-A"}, {"git", "-C", path, "commit", "-q", "-m", "first"},
		{"git", "-C", path, "liza", "init"},
	} {
		ts.Check(ts.Exec(command[0], command[1:]...))
	}
	return nil
}
