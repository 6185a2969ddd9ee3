package supervise

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/broker"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// confineSession keeps a session with a mark, where that is asked for and the kernel can, to its
// checkout and the agent's home. Its commands of git-liza run beside it, by a broker that ends with end.
func confineSession(ctx context.Context, w *worker, a *assignment, spawn *provider.Spawn, mark *proc.Mark) (end func(), err error) {
	if !w.provider.Confines() {
		return func() {}, nil
	}
	place, err := work.SessionPlace(ctx, w.clone, a.dir, w.id)
	if err != nil || place.Domain == nil {
		return func() {}, err
	}
	stop := func() {}
	login, err := w.provider.Lend(w.rush.Environ, place.Home)
	if err == nil {
		stop, err = startBroker(ctx, w, *spawn, place, mark)
	}
	spawn.Domain = place.Domain
	spawn.Machine = slices.Concat(spawn.Machine, place.Variables, login, []string{broker.Variable + "=" + filepath.Join(spawn.Programs, broker.Socket)})
	end = func() {
		stop()
		takeBack(w.rush, w.id, w.provider.Row)
		place.Close()
	}
	if err != nil {
		end()
	}
	return end, err
}

// takeBack takes back what was lent to a session of an agent, whose program is one of the rows.
func takeBack(r *Rush, id board.AgentID, rows ...provider.Row) {
	for _, row := range rows {
		if err := row.TakeBack(r.Environ, filepath.Join(r.Clone.Repo.CommonDir(), filepath.FromSlash(confine.Folder), string(id))); err != nil {
			r.ask(fmt.Sprintf("%s: its renewed login was not taken back: %v", id, err))
		}
	}
}

// startBroker runs the broker of a session in a place, below a guard with the session's mark,
// where it changes the clone.
func startBroker(ctx context.Context, w *worker, spawn provider.Spawn, place confine.Place, mark *proc.Mark) (stop func(), err error) {
	s := broker.Session{Folder: spawn.Programs, Token: rand.Text(), Home: place.Home}
	place.Domain.Read = append(place.Domain.Read, w.rush.Self) // it need not be on the PATH
	reads, changes, err := place.Outside(ctx, w.clone.Repo, w.rush.Environ)
	if err == nil {
		s.Dir, err = filepath.EvalSymlinks(spawn.Dir)
	}
	if err != nil {
		return func() {}, err
	}
	root, later := w.clone.Checkouts.Trees.Root() // gates are run in a checkout of their own
	changes.Write = append(changes.Write, s.Folder, root, later)
	s.Hooks, s.Sets = reads, []string{confine.Files + "=" + strings.Join(append([]string{s.Dir, place.Home, place.Scratch}, place.Opened...), string(filepath.ListSeparator))}
	orders, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Folder, broker.Token), []byte(s.Token), 0o600)
	}
	if err != nil {
		return func() {}, err
	}
	spawn.Machine = append(slices.Clone(spawn.Machine), "TMPDIR="+s.Folder) // where the session writes nothing
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() {
		r, err := proc.Run(ctx, proc.Command{Path: w.rush.Self, Args: []string{"broker"}, Dir: s.Dir, Env: spawn.Environment(nil), Stdin: bytes.NewReader(orders), Output: w.log,
			Mark: mark, Records: work.Records(w.clone.Repo), Domain: changes})
		if err == nil && ctx.Err() == nil {
			err = fmt.Errorf("exit %d: %s", r.Code, strings.TrimSpace(r.Excerpt))
		}
		if err != nil {
			w.sayOnce("%s: its session has no commands of git liza: %v", w.id, err)
		}
	})
	return func() { cancel(); ended.Wait() }, nil
}
