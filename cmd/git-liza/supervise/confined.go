package supervise

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/broker"
	"github.com/git-liza/git-liza/cmd/git-liza/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
)

// confine keeps a session, where that is asked for and the kernel can, to its checkout and the
// agent's home, and runs its commands of git-liza outside until end is called.
func (w *worker) confine(ctx context.Context, a *assignment, spawn *provider.Spawn, mark *proc.Mark) (end func(), err error) {
	if !w.provider.Confines() {
		return func() {}, nil
	}
	place, err := w.clone.Place(ctx, a.dir, w.id)
	if err != nil || place.Domain == nil {
		return func() {}, err
	}
	dir, err := filepath.EvalSymlinks(a.dir)
	if err != nil {
		place.Close()
		return nil, err
	}
	s := &confinedSession{worker: w, dir: dir, mark: mark}
	outside := *spawn
	outside.Machine = append(slices.Clone(spawn.Machine), "TMPDIR="+place.Scratch, confine.Files+"="+strings.Join([]string{dir, place.Home, place.Scratch}, string(filepath.ListSeparator)))
	s.environ = outside.Environment(nil)
	outside.Machine = append(outside.Machine, "HOME="+place.Home)
	s.hookEnviron = outside.Environment(nil)
	s.reads, s.outside = place.Outside(w.clone.Repo, w.rush.Environ)
	login, back, err := w.provider.Lend(w.rush.Environ, place.Home)
	if err != nil {
		place.Close()
		return nil, err
	}
	stop, err := s.serve(ctx, spawn.Programs)
	end = func() {
		stop()
		if err := back(); err != nil {
			w.sayOnce("%s: its renewed login was not taken back: %v", w.id, err)
		}
		place.Close()
	}
	spawn.Domain = place.Domain
	spawn.Machine = slices.Concat(spawn.Machine, place.Variables, login, []string{broker.Variable + "=" + filepath.Join(spawn.Programs, broker.Socket)})
	return end, err
}

// A confinedSession runs the commands of git-liza that are typed in a session.
type confinedSession struct {
	worker      *worker
	dir         string
	environ     []string // of commands
	hookEnviron []string
	mark        *proc.Mark
	// reads is the domain of a command that may open the repository of the checkout, whose
	// settings are the agent's; outside is that of the others, which move.
	reads, outside *proc.Domain
}

// serve takes commands over a socket in the folder, which also has the session's token.
func (s *confinedSession) serve(ctx context.Context, folder string) (stop func(), err error) {
	token := rand.Text()
	if err := os.WriteFile(filepath.Join(folder, broker.Token), []byte(token), 0o600); err != nil {
		return func() {}, err
	}
	l, err := proc.Listen("unixpacket", folder, broker.Socket)
	if err != nil {
		return func() {}, fmt.Errorf("socket of a session: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		(&broker.Server{Token: token, Run: s.run}).Serve(ctx, l)
	}()
	return func() { l.Close(); <-ended }, nil
}

// run runs a command of the session.
func (s *confinedSession) run(ctx context.Context, c broker.Call) int {
	dir := s.dir
	if path, err := filepath.EvalSymlinks(c.Dir); err == nil && strings.HasPrefix(path, s.dir+string(filepath.Separator)) {
		dir = path
	}
	domain, environ := s.outside, s.environ
	if len(c.Args) > 0 && c.Args[0] == "hook" {
		domain, environ = s.reads, append(slices.Clone(s.hookEnviron), "GIT_INDEX_FILE="+c.Index)
	}
	r, err := proc.Run(ctx, proc.Command{Path: s.worker.rush.Self, Args: c.Args, Dir: dir, Env: environ, Stdin: c.In, Stdout: c.Out, Output: c.Err, Bound: true,
		Mark: s.mark, Records: work.Records(s.worker.clone.Repo), Domain: domain})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(c.Err, "git-liza:", err)
		return 1
	}
	return r.Code
}
