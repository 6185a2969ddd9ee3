package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/screen"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A dashboard is the board on a person's terminal. The commands that its keys run are
// processes of this program, so that they do what they do when they are typed.
type dashboard struct {
	*invocation
	clone  *work.Clone
	silent *invocation // for what must not print
	self   string
	known  provider.Catalogue
	keeper *alarmKeeper
	trips  *work.Tripper
	lock   *os.File // of the one process of the clone that keeps its alarms
}

// showScreen shows the board on the terminal until the person ends it.
func showScreen(inv *invocation, words string) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	accent, err := accentOf(inv, clone.Repo)
	if err != nil {
		return err
	}
	silent := *inv
	silent.stderr, clone.Repo.Notice = io.Discard, func(string) {} // what they say would stand between the lines that are drawn
	d := dashboard{invocation: inv, silent: &silent, clone: clone}
	if d.keeper, err = newAlarmKeeper(&silent, clone); err != nil {
		return err
	}
	if d.trips, err = newTripper(&silent, clone); err != nil {
		return err
	}
	if d.lock, err = git.OpenLock(clone.Repo.CommonDir(), keeperLock); err == nil {
		defer git.Unlock(d.lock)
	} else {
		d.keeper.memory = nil // somebody who can only read here keeps no alarms
	}
	if d.self, err = os.Executable(); err != nil {
		return err
	}
	if d.known, err = (providerChoice{inv, &clone.Repo.Config.Configuration}).catalogue(); err != nil {
		return err
	}
	s := screen.Screen{In: inv.stdin, Out: inv.stdout, Environ: inv.environ, Color: accent("") != "", Now: clone.Store.Now, Words: words,
		Follow: d.follow, Note: d.note, Explain: d.explain, Make: d.make, Lend: d.lend, Tail: d.tail}
	ctx, cancel := context.WithCancel(inv.ctx)
	delivered := d.keeper.startDelivery(ctx)
	defer func() {
		cancel()
		<-delivered
	}()
	return s.Run(inv.ctx)
}

func (d *dashboard) follow(ctx context.Context, show func(*view.Picture, []view.Change, error) time.Time) error {
	following := *d.silent
	following.ctx = ctx
	return watchPicture(&following, d.clone, d.trips, show)
}

// note keeps the alarms and has the calls told, unless another process of the clone does.
func (d *dashboard) note(p *view.Picture, list []view.Alarm, err error) {
	if d.keeper.memory == nil || git.TryLock(d.lock) != nil {
		return
	}
	if all, known := d.keeper.complete(d.silent, p, list, err); known {
		_ = d.keeper.note(d.ctx, all, d.clone.Store.Now(), nil) // there is no place to say that it failed
	}
}

func (d *dashboard) explain(err error) (reason, command string) {
	f := hints{d.invocation}.explain(err)
	return f.reason, f.hint
}

// arguments are those of the command line of this program, as the same actor.
func (d *dashboard) arguments(args []string) []string {
	if d.as != "" && d.as != d.getenv("LIZA_AGENT_ID") {
		return append(slices.Clone(args), "--as", d.as)
	}
	return args
}

// make runs this program away from the terminal. What it prints is its standard output, and
// after a failure the reason and the hint.
func (d *dashboard) make(ctx context.Context, input string, args ...string) (printed string, done bool) {
	var stdout, stderr bytes.Buffer
	r, err := proc.Run(ctx, proc.Command{Path: d.self, Args: d.arguments(args), Dir: d.dir, Env: d.environ, Stdin: strings.NewReader(input), Stdout: &stdout, Output: &stderr})
	switch {
	case err != nil:
		return err.Error(), false
	case !r.Passed():
		return strings.TrimSpace(strings.TrimPrefix(stderr.String(), "git-liza: ")), false
	}
	return strings.TrimSpace(stdout.String()), true
}

// lend runs a command in the foreground. What was typed before it ended is no key of the
// screen. A person who would not have had the time to read what it printed is waited for.
func (d *dashboard) lend(c screen.Lent) {
	path, args := d.self, d.arguments(c.Args)
	env := append(slices.Clone(d.environ), "PATH="+filepath.Dir(d.self)+string(os.PathListSeparator)+d.getenv("PATH"), "LESS="+pageLess(d.getenv("LESS")))
	if c.Line != "" {
		path, args = proc.Shell(c.Line)
	}
	shown := *d.invocation
	shown.stderr = d.stdout // standard error may be a file
	code, err := foreground(&shown, proc.Command{Path: path, Args: args, Dir: d.dir, Env: env, Stdin: d.stdin, Output: d.stdout})
	if err != nil {
		shown.progress("git-liza: %v", err)
	}
	if asked := newDialog(&shown); err != nil || code != exitDone || c.Shows && !d.pagerWaits() {
		_, _ = asked.askOnce("Enter leads back to git liza watch ") // whatever is typed
	}
	if f, ok := d.stdin.(*os.File); ok {
		_ = discardInput(int(f.Fd()))
	}
}

// pageLess is the variable LESS with which less also waits at the end of a short text.
func pageLess(set string) string {
	if set == "" {
		return "RX"
	}
	return set + " -+F"
}

// pagerWaits reports whether git's pager waits for a key at the end of a text.
func (d *dashboard) pagerWaits() bool {
	words := strings.Fields(pager{d.invocation}.command())
	return len(words) > 0 && d.programNamed(words[0]) == "less" && !slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "FE") })
}

// programNamed returns the name of the file that a name of a program leads to: pager may be
// less.
func (d *dashboard) programNamed(name string) string {
	for _, folder := range filepath.SplitList(d.getenv("PATH")) {
		if path, err := filepath.EvalSymlinks(filepath.Join(folder, name)); err == nil {
			return filepath.Base(path)
		}
	}
	return name
}

// tailLines is how many of the last lines of an agent's output are shown.
const tailLines = 200

// tail returns the end of what an agent printed. print is the size and the time of its log.
func (d *dashboard) tail(a *view.Agent, print string) (lines []string, now string) {
	info, err := os.Lstat(outputFile(d.clone.Repo, a.ID))
	if err != nil {
		return nil, ""
	}
	if now = fmt.Sprint(info.Size(), info.ModTime().UnixNano()); now == print {
		return nil, now
	}
	text := strings.TrimRight(outputOf(d.clone.Repo, a.ID, a.Provider, d.known), "\n")
	if text == "" {
		return nil, now
	}
	lines = strings.Split(text, "\n")
	return lines[max(0, len(lines)-tailLines):], now
}
