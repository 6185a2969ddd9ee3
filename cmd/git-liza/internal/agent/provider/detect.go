package provider

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
)

// Found is a row with what was found of its program on this machine.
type Found struct {
	Row
	Path     string // of its program, "" if it is missing
	Reported string // the version that it prints, "" if it prints none
	Problem  string // why it cannot be used, in a few words; "" if it can
	Fails    bool   // it fails where it is asked for its version
	Old      bool   // its version is older than the oldest that is known to work
}

// NamesNoProgram reports whether the row is a way to run programs, and names no
// program: exec, acp, script and gates.
func (f Found) NamesNoProgram() bool { return f.namesNoProgram() }

const (
	// versionLimit is how long a program may take to print its version. Some work
	// for seconds before they do anything, and the machine may be busy.
	versionLimit = 20 * time.Second
	// askedAtOnce is how many programs are asked for their versions at once.
	askedAtOnce = 4

	unanswered = "does not answer"
)

// Detect looks for the providers' programs in the PATH of environ and asks each
// for its version, with as much of environ as the program would see.
func (c Catalogue) Detect(ctx context.Context, environ []string) []Found {
	list := make([]Found, len(c))
	var all sync.WaitGroup
	turn := make(chan struct{}, askedAtOnce)
	for i, row := range c {
		list[i].Row = row
		if row.namesNoProgram() {
			continue
		}
		all.Go(func() {
			turn <- struct{}{}
			list[i].findProgram(ctx, environ)
			<-turn
		})
	}
	all.Wait()
	return list
}

// findProgram finds the program and asks for its version.
func (f *Found) findProgram(ctx context.Context, environ []string) {
	f.Path = lookPath(f.Binary, environ)
	if f.Path == "" {
		f.Problem = "missing"
		return
	}
	f.ask(ctx, environ, confine.Place{Scratch: os.TempDir()})
}

// StartsIn reports whether a program that was found prints its version in a place too, where it does
// so without, and what it says. One that takes long may be slow alone.
func (f Found) StartsIn(ctx context.Context, environ []string, place confine.Place) (starts bool, said string) {
	before := f.Problem
	place.Domain = Provider{Row: f.Row}.domain(Spawn{Domain: place.Domain, Environ: environ}, launcher.Session{})
	said = f.ask(ctx, environ, place)
	return f.Problem == before || f.Problem == unanswered, said
}

// ask asks the program for its version, and returns what it says beside.
func (f *Found) ask(ctx context.Context, environ []string, place confine.Place) (said string) {
	if len(f.Version) == 0 {
		return ""
	}
	p := Provider{Row: f.Row}
	var printed firstBytes
	r, err := proc.Run(ctx, proc.Command{Path: f.Path, Args: f.Version, Dir: place.Scratch, Stdout: &printed, Domain: place.Domain,
		Env: proc.Environment(environ, f.Env, append(p.Set(Spawn{}), place.Variables...)...), Wall: versionLimit, Grace: time.Second})
	switch {
	case err != nil:
		f.Problem = "cannot be run"
	case r.Reason == proc.WallLimit || r.Reason == proc.Canceled:
		f.Problem = unanswered
	case !r.Passed():
		f.Problem, f.Fails = "exits "+strconv.Itoa(r.Code), true
	default:
		f.compareVersion(string(printed) + "\n" + r.Excerpt)
	}
	return r.Excerpt
}

// firstBytes keeps the first bytes that are written to it. A warning on standard
// error may name a version too, so the version is searched in standard output first.
type firstBytes []byte

func (o *firstBytes) Write(p []byte) (int, error) {
	const enough = 4096
	*o = append(*o, p[:min(len(p), enough-len(*o))]...)
	return len(p), nil
}

// versionNumber matches a version in the output of a program. The suffix of a
// pre-release is ignored, so that it counts as the release: it is worse to refuse a
// program that works than to try one that does not.
var versionNumber = pattern.Late(`\d+(?:\.\d+)+`)

func (f *Found) compareVersion(printed string) {
	f.Reported = versionNumber().FindString(printed)
	switch {
	case f.Reported == "":
		f.Problem = "prints no version"
	case isOlder(f.Reported, f.Minimum):
		f.Problem, f.Old = "too old", true
	}
}

// isOlder compares versions number by number.
func isOlder(version, minimum string) bool {
	a, b := strings.Split(version, "."), strings.Split(minimum, ".")
	for i := range min(len(a), len(b)) {
		x, _ := strconv.Atoi(a[i])
		y, _ := strconv.Atoi(b[i])
		if x != y {
			return x < y
		}
	}
	return minimum != "" && len(a) < len(b)
}

// lookPath is the path of a program in the PATH of an environment, "" if it is
// not there.
func lookPath(program string, environ []string) string {
	if strings.ContainsRune(program, filepath.Separator) {
		return executableAt(program)
	}
	for _, dir := range filepath.SplitList(proc.Value(environ, "PATH")) {
		// Like os/exec, this finds no programs in the working directory.
		if filepath.IsAbs(dir) {
			if path := executableAt(filepath.Join(dir, program)); path != "" {
				return path
			}
		}
	}
	return ""
}

func executableAt(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	return path
}

// LoggedIn reports whether environ has a key for the provider or a user is logged in.
// known is false where that cannot be found out.
func (r Row) LoggedIn(environ []string) (in, known bool) {
	if len(r.Keys) == 0 || len(r.LoginFiles) == 0 {
		return false, false
	}
	if slices.ContainsFunc(r.Keys, func(name string) bool { return proc.Value(environ, name) != "" }) {
		return true, true
	}
	for _, file := range r.LoginFiles {
		if path := expandPath(file, environ); path != "" {
			if _, err := os.Stat(path); err == nil {
				return true, true
			}
		}
	}
	// On macOS the login is in the keychain.
	return false, runtime.GOOS != "darwin"
}

// LoginCommand is the command by which a user logs in to the provider: the program's
// own, or one that sets the provider's first key; "" if neither is known.
func (r Row) LoginCommand() string {
	switch {
	case len(r.LoginArgs) > 0:
		return r.Binary + " " + strings.Join(r.LoginArgs, " ")
	case len(r.Keys) > 0:
		return "export " + r.Keys[0] + "=KEY"
	}
	return ""
}

var pathVariable = pattern.Late(`\{(\w+)\}`)

// expandPath replaces ~ and {NAME} in a path by values of environ. It is "" if a
// variable has no value.
func expandPath(file string, environ []string) string {
	missing := false
	put := func(name string) string {
		text := proc.Value(environ, name)
		missing = missing || text == ""
		return text
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(put("HOME"), rest)
	}
	file = pathVariable().ReplaceAllStringFunc(file, func(text string) string { return put(strings.Trim(text, "{}")) })
	if missing {
		return ""
	}
	return file
}

// Missing is the program with which a command of exec or acp begins, if a shell
// does not find it. It is "" if the shell finds it, or if that is unknown before
// the command runs, as for a path below the worktree or a word that is expanded.
func (p Provider) Missing(ctx context.Context, environ []string) string {
	if !p.takesCommand() || len(p.Args) == 0 {
		return ""
	}
	word := shell.Program(p.Args[len(p.Args)-1])
	switch {
	case word == "":
		return ""
	case filepath.IsAbs(word) && executableAt(word) == "":
		return word
	}
	// Only the shell knows its builtins and reserved words, which can begin a command.
	r, err := proc.Run(ctx, proc.Command{Path: "sh", Args: []string{"-c", `command -v -- "$1"`, "sh", word}, Dir: os.TempDir(),
		Env: proc.Environment(environ, p.Env, p.Set(Spawn{})...), Wall: versionLimit, Grace: time.Second})
	if err != nil || r.Reason != proc.Exited || r.Code == 0 {
		return ""
	}
	return word
}
