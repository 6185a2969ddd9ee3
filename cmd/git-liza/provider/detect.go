package provider

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
)

// Found is what there is of a provider on this machine.
type Found struct {
	Row
	Path     string // of its program, "" if it is missing
	Reported string // the version that it prints, "" if it did not
	Problem  string // why it cannot be used, in a few words; "" if it can
	Old      bool   // older than the row is known to be right for
}

// Kind reports whether the row is no program, but a way to run one: exec, acp
// and script.
func (f Found) Kind() bool { return f.fixed() }

const (
	// A program may take so long to say its version: some take seconds of work
	// to begin with anything, and the machine may have other work.
	versionLimit = 20 * time.Second
	// So many are asked at once.
	askedAtOnce = 4
)

// Detect looks for the providers' programs in the PATH of environ and asks each
// for its version, with as much of environ as the program would see.
func (c Catalogue) Detect(ctx context.Context, environ []string) []Found {
	list := make([]Found, len(c))
	var all sync.WaitGroup
	turn := make(chan struct{}, askedAtOnce)
	for i, row := range c {
		list[i].Row = row
		if row.fixed() {
			continue
		}
		all.Go(func() {
			turn <- struct{}{}
			list[i].look(ctx, environ)
			<-turn
		})
	}
	all.Wait()
	return list
}

// look finds the program and asks for its version.
func (f *Found) look(ctx context.Context, environ []string) {
	f.Path = lookUp(f.Binary, environ)
	if f.Path == "" {
		f.Problem = "missing"
		return
	}
	if len(f.Version) == 0 {
		return
	}
	p := Provider{f.Row}
	var printed opening
	r, err := proc.Run(ctx, proc.Command{Path: f.Path, Args: f.Version, Dir: os.TempDir(), Stdout: &printed,
		Env: proc.Environment(environ, f.Env, p.Set(0, Spawn{})...), Wall: versionLimit, Grace: time.Second})
	switch {
	case err != nil:
		f.Problem = "cannot be run"
	case r.Reason == proc.WallLimit || r.Reason == proc.Canceled:
		f.Problem = "does not answer"
	case !r.Passed():
		f.Problem = "exits " + strconv.Itoa(r.Code)
	default:
		f.compare(string(printed) + "\n" + r.Excerpt)
	}
}

// opening is the beginning of what is written to it. A warning on standard
// error may name a version too, so the answer is looked for here first.
type opening []byte

func (o *opening) Write(p []byte) (int, error) {
	const enough = 4096
	*o = append(*o, p[:min(len(p), enough-len(*o))]...)
	return len(p), nil
}

// number is a version in what a program prints of itself. What a pre-release
// adds to its number is passed over: it counts as the release that it leads to,
// since to refuse what works is worse than to try what may not.
var number = regexp.MustCompile(`\d+(?:\.\d+)+`)

func (f *Found) compare(printed string) {
	f.Reported = number.FindString(printed)
	switch {
	case f.Reported == "":
		f.Problem = "prints no version"
	case older(f.Reported, f.Minimum):
		f.Problem, f.Old = "too old", true
	}
}

// older compares versions number by number.
func older(version, minimum string) bool {
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

// lookUp is the path of a program in the PATH of an environment, "" if it is
// not there.
func lookUp(program string, environ []string) string {
	if strings.ContainsRune(program, filepath.Separator) {
		return executable(program)
	}
	for _, dir := range filepath.SplitList(value(environ, "PATH")) {
		// As os/exec has it: what lies in the working directory is no program by chance.
		if filepath.IsAbs(dir) {
			if path := executable(filepath.Join(dir, program)); path != "" {
				return path
			}
		}
	}
	return ""
}

func executable(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	return path
}

// value is the last value of a variable in an environment, "" if it has none.
func value(environ []string, name string) string {
	last := ""
	for _, entry := range environ {
		if rest, ok := strings.CutPrefix(entry, name+"="); ok {
			last = rest
		}
	}
	return last
}

// LoggedIn reports whether the provider has a key in environ or somebody is
// logged in; known is false where that cannot be told from outside.
func (r Row) LoggedIn(environ []string) (in, known bool) {
	if len(r.Keys) == 0 || len(r.LoginFiles) == 0 {
		return false, false
	}
	for _, name := range r.Keys {
		if value(environ, name) != "" {
			return true, true
		}
	}
	for _, file := range r.LoginFiles {
		if path := expanded(file, environ); path != "" {
			if _, err := os.Stat(path); err == nil {
				return true, true
			}
		}
	}
	// There they lie in the keychain.
	return false, runtime.GOOS != "darwin"
}

// Entry is the command to type that lets the provider in: its own that logs
// somebody in, else that which sets its first key; "" if neither is known.
func (r Row) Entry() string {
	switch {
	case len(r.LoginArgs) > 0:
		return r.Binary + " " + strings.Join(r.LoginArgs, " ")
	case len(r.Keys) > 0:
		return "export " + r.Keys[0] + "=KEY"
	}
	return ""
}

var variable = regexp.MustCompile(`\{(\w+)\}`)

// expanded is a path with ~ and {NAME} put in, "" if there is no such variable.
func expanded(file string, environ []string) string {
	missing := false
	put := func(name string) string {
		text := value(environ, name)
		missing = missing || text == ""
		return text
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(put("HOME"), rest)
	}
	file = variable.ReplaceAllStringFunc(file, func(text string) string { return put(strings.Trim(text, "{}")) })
	if missing {
		return ""
	}
	return file
}
