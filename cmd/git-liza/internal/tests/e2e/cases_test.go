package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A playedCase is what a script of testdata/cases said, see lib.sh there.
type playedCase struct {
	reached bool   // its honest part came to its end
	verdict string // PASS, FAIL, SKIP or VOID
	words   string
	code    int
	output  string
}

var caseCodes = map[string]int{"PASS": 0, "FAIL": 1, "SKIP": 77, "VOID": 2}

// counts reports whether the verdict is one on the program.
func (p playedCase) counts() bool {
	return p.reached && (p.verdict == "PASS" || p.verdict == "FAIL") && p.code == caseCodes[p.verdict]
}

// asIs is to play a case on the kernel that is there.
func asIs(start func()) error {
	start()
	return nil
}

// playCase plays a script with the programs of a folder first on PATH, and a value of liza.confine, on
// a kernel.
func playCase(t *testing.T, name, programs, confine string, kernel func(start func()) error) (p playedCase) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	output, err := os.Create(filepath.Join(t.TempDir(), "output")) // a file, for which nobody waits whom a script leaves
	require.NoError(t, err)
	defer output.Close()
	cmd := exec.CommandContext(ctx, "sh", filepath.Join("testdata", "cases", name+".sh"))
	cmd.Env = []string{"PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "CONFINE=" + confine}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it cleans up
	cmd.WaitDelay = 20 * time.Second
	var started error
	if none := kernel(func() { started = cmd.Start() }); none != nil {
		t.Skip("SKIPPED: no such kernel can be had: ", none)
	}
	require.NoError(t, started)
	_ = cmd.Wait()
	text, err := os.ReadFile(output.Name())
	require.NoError(t, err)
	p.output, p.code = string(text), cmd.ProcessState.ExitCode()
	lines := strings.Split(strings.TrimSpace(p.output), "\n")
	p.verdict, p.words, _ = strings.Cut(lines[len(lines)-1], ": ")
	p.reached = regexp.MustCompile(`(?m)^REACHED: `).MatchString(p.output)
	return p
}

// A caseRow is a line of testdata/cases/table.txt.
type caseRow struct {
	class string
	fails string // the words of a case that is known to fail
}

// caseRows reads the table, which names every script once, with a class that it explains.
func caseRows(t *testing.T) map[string]caseRow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", "table.txt"))
	require.NoError(t, err)
	classes, rows := map[string]bool{}, map[string]caseRow{}
	class, row := regexp.MustCompile(`^#   ([a-z-]+) +\S`), regexp.MustCompile(`^(\S+) +(\S+)(?: +(.+))?$`)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := class.FindStringSubmatch(line); m != nil {
			classes[m[1]] = true
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := row.FindStringSubmatch(line)
		require.NotNil(t, m, "no row: %s", line)
		require.NotContains(t, rows, m[1], "twice")
		require.True(t, classes[m[2]], "%s: no class %s", m[1], m[2])
		rows[m[1]] = caseRow{m[2], m[3]}
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "cases", "*.sh"))
	require.NoError(t, err)
	for _, script := range scripts {
		if name := strings.TrimSuffix(filepath.Base(script), ".sh"); name != "lib" {
			require.Contains(t, rows, name, "the table does not name it")
		}
	}
	require.Len(t, rows, len(scripts)-1, "the table names scripts that are not there")
	return rows
}

// What people and agents do to repositories and to each other goes as it should, or fails as the
// table says. A case that is known to fail and passes fails this test, so that the mark goes with
// the fault.
func TestCases(t *testing.T) {
	t.Parallel()
	for name, row := range caseRows(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t, name, "off", asIs)
		})
	}
}

// confinedClasses are those whose cases say something of what sessions reach.
var confinedClasses = []string{"gates", "guards", "layout", "set-up", "settings", "shared", "trust"}

// needsMore are cases that do what a confined session cannot, by what that is.
var needsMore = map[string]string{
	"05-node-modules-link":      "reads what is not tracked in the main work tree",
	"55-env-file-in-saves":      "reads what is not tracked in the main work tree",
	"76-supervisor-commits-env": "reads what is not tracked in the main work tree",
	"b8-kill-guard":             "ends its guard",
}

// kernelMends is a case that fails only where nothing confines its session.
const kernelMends = "b6-left-behind"

// Where the kernel confines sessions, and these reach the folder of the script beside their checkout,
// all goes as without that.
func TestConfinedCases(t *testing.T) {
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel confines no command in full")
	}
	for name, row := range caseRows(t) {
		if !slices.Contains(confinedClasses, row.class) || needsMore[name] != "" {
			continue
		}
		if name == kernelMends {
			row.fails = ""
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t, name, "required", asIs)
		})
	}
}

// So do the attacks on a kernel that confines files alone.
func TestConfinedCasesOnAnOlderKernel(t *testing.T) {
	t.Parallel()
	if proc.Confinement() == proc.Unconfined {
		t.Skip("SKIPPED: this kernel confines no command")
	}
	attack := regexp.MustCompile(`^b[0-9]`)
	for name, row := range caseRows(t) {
		if !attack.MatchString(name) || needsMore[name] != "" {
			continue
		}
		if name == kernelMends {
			row.fails = ""
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t, name, "auto", func(start func()) error { return gittest.OnKernel(3, 0, start) })
		})
	}
}

func (row caseRow) check(t *testing.T, name, confine string, kernel func(start func()) error) {
	p := playCase(t, name, shared.path("bin"), confine, kernel)
	if p.verdict == "SKIP" && p.code == caseCodes["SKIP"] {
		t.Skip(p.words)
	}
	require.True(t, p.counts(), "it shows nothing:\n%s", p.output)
	fails := "" // the words of the fault
	if p.verdict == "FAIL" {
		fails = p.words
	}
	require.Equal(t, row.fails, fails, "table.txt (class %s) does not say what happens:\n%s", row.class, p.output)
}

// standIns are programs in whose hands no case may count: one that only prints errors, one that
// does nothing, and one that makes boards and tasks, so that scripts come far, and then no move.
var standIns = map[string]string{
	"refuses": "echo 'git-liza: no' >&2; exit 1",
	"silent":  "exit 0",
	"begins":  `case $1 in init|task|config|hook|hooks|principal|trust) exec "%[1]s" "$@" ;; esac; echo 'git-liza: no' >&2; exit 1`,
}

// A program that does not do its work fails every case: none passes, and none fails in the words
// that are known of it.
func TestCasesNeedAProgram(t *testing.T) {
	t.Parallel()
	for kind, does := range standIns {
		programs := t.TempDir()
		if strings.Contains(does, "%") {
			does = fmt.Sprintf(does, shared.path("bin", "git-liza"))
		}
		gittest.Script(t, filepath.Join(programs, "git-liza"), "#!/bin/sh\n"+does+"\n")
		for name := range caseRows(t) {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := playCase(t, name, programs, "off", asIs)
				require.Contains(t, caseCodes, p.verdict, p.output)
				require.False(t, p.counts(), "it counts with a program that does not work:\n%s", p.output)
			})
		}
	}
}
