package work

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

const (
	// gatherMoves is the time in which moves are gathered: a follower of the board is called
	// no more often.
	gatherMoves = 300 * time.Millisecond
	// lookAround is how often this machine is looked at.
	lookAround = time.Second
	// restMachine is how long what is slow to find stays as it was found, in looks.
	restMachine = 2
	// probedAtOnce bounds the supervisors that one look probes.
	probedAtOnce = 64
)

// Known is what this machine knows beside the board.
type Known struct {
	Presences map[board.AgentID]gitstore.Presence // the last ones of the registered agents
	Dead      map[board.AgentID]int               // the process id of an agent's supervisor that died on this machine
	Active    []metrics.Active                    // who worked last, by the moves that were counted in this clone
	// Machine grows when the configuration, branches or files of this clone may have
	// changed, at most every two seconds: what follows from them is to be found anew.
	Machine uint64
}

// Follow reads the board whenever its tip moves, and looks at this machine once a
// second, until ctx is done. see gets what is new: the board and its tip, what lies
// between that and the board that it got before (whole at first), and what the machine
// knows. It returns when it wants to be called again although nothing is new; zero: never.
//
// If the state becomes unreadable, or the remote that holds the board cannot be reached,
// see gets the error, with the last board that could be read (nil if none could) and an
// empty delta; a call without an error says that it is over. The board may be used in see
// alone: boards share what they read.
//
// Moves that come faster are gathered for 0.3 seconds. They are counted beside that, so that
// Known.Active follows them; it lags by a hundred times what that takes. The error is that of ctx, or of a clone that
// cannot be watched.
func Follow(ctx context.Context, c *Clone, see func(b *board.Board, tip board.ObjectID, d gitstore.Delta, known Known, err error) (again time.Time)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &feed{Clone: c, see: see, view: Watch(ctx, c.Repo), prints: map[string]filePrint{}}
	err := keepMirror(ctx, c, f.view, func(err error) {
		if ctx.Err() == nil {
			f.away.Store(&err)
		}
	})
	if err != nil {
		return err
	}
	counted, err := keepCounts(ctx, c, f.view)
	if err != nil {
		return err
	}
	defer func() {
		cancel()
		<-counted
	}()
	return f.run(ctx)
}

// A feed calls a follower of the board.
type feed struct {
	*Clone
	see  func(*board.Board, board.ObjectID, gitstore.Delta, Known, error) time.Time
	view *View
	away atomic.Pointer[error] // what came of the last sync with the remote

	board *board.Board // that see got last
	tip   git.ID
	known Known
	fault string    // that see got last, "" if it got none
	tried git.ID    // the tip that was read last, also one that cannot be read
	read  time.Time // when it was
	again time.Time // when see wants to be called again
	news  bool      // see is to be called
	retry bool      // what went wrong may be over

	looks  int // since Machine grew
	stale  bool
	full   bool // a disk that work is written to
	prints map[string]filePrint
	probed int // how many supervisors were probed until now
}

func (f *feed) run(ctx context.Context) error {
	look := time.NewTicker(lookAround)
	defer look.Stop()
	wake := time.NewTimer(0)
	defer wake.Stop()
	f.news = true
	for {
		tip, changed := f.view.Now()
		wait := time.Duration(-1)
		switch due := tip != f.tried || f.news || f.retry; {
		case due && time.Since(f.read) >= gatherMoves:
			f.show(ctx, tip)
			continue
		case due:
			wait, changed = gatherMoves-time.Since(f.read), nil
		case !f.again.IsZero():
			wait = max(f.again.Sub(f.Store.Now()), lookAround/2) // the clock has whole seconds
		}
		wake.Stop()
		if wait >= 0 {
			wake.Reset(wait)
		}
		select {
		case <-changed:
		case <-look.C:
			f.lookAround(ctx)
		case <-wake.C:
			f.news = f.news || !f.again.IsZero() && !f.again.After(f.Store.Now())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// show calls see with the board as it is now, or with why it cannot be read.
func (f *feed) show(ctx context.Context, tip git.ID) {
	news := f.news
	f.tried, f.news, f.retry, f.read = tip, false, false, time.Now()
	b, tip, d, err := f.readBoard(ctx)
	if ctx.Err() != nil {
		return
	}
	moved := err == nil && tip != f.tip
	if err == nil {
		f.board, f.tip = b, tip
	}
	if away := f.away.Load(); err == nil && away != nil {
		err = *away
	}
	fault := ""
	if err != nil {
		fault = err.Error()
	}
	if !news && !moved && fault == f.fault {
		return
	}
	f.fault = fault
	if moved {
		f.stale = true
		f.findAgents(ctx)
		f.findActive()
		f.news = false // see gets it now
	}
	f.again = f.see(f.board, f.tip, d, f.known, err)
}

// readBoard reads the board, and what lies between it and the one that see got last. What
// differs is read too, so that a picture of it is whole.
func (f *feed) readBoard(ctx context.Context) (*board.Board, git.ID, gitstore.Delta, error) {
	same := gitstore.Delta{From: f.tip, To: f.tip}
	b, tip, err := f.Store.Board(ctx)
	if err != nil || tip == f.tip {
		return f.board, tip, same, err
	}
	d, err := f.Store.Delta(f.tip, tip)
	if err != nil {
		return nil, tip, same, err
	}
	if d.Whole {
		b.Tasks()
	}
	for _, key := range d.Keys {
		b.Load(key)
	}
	if err := b.Err(); err != nil {
		return nil, tip, same, err
	}
	return b, tip, d, nil
}

// lookAround looks at this machine.
func (f *feed) lookAround(ctx context.Context) {
	away := f.away.Load()
	f.retry = f.fault != "" || away != nil && *away != nil
	if f.board == nil {
		return
	}
	f.findAgents(ctx)
	f.findActive()
	for _, name := range []string{"config", "config.worktree", "HEAD", "logs/HEAD", "packed-refs", layout.Private, layout.Private + "/paused", f.board.Settings().Integration.Ref()} {
		f.stale = f.isNew(filepath.Join(f.Repo.CommonDir(), name)) || f.stale
	}
	f.stale = f.isNew(filepath.Join(f.Repo.GitDir(), "HEAD")) || f.stale
	if full := slices.ContainsFunc(f.Doctor.Disk(), func(d Finding) bool { return d.State == "fail" }); full != f.full {
		f.full, f.stale = full, true
	}
	if f.looks++; f.stale && f.looks >= restMachine {
		f.stale, f.looks, f.news = false, 0, true
		f.known.Machine++
	}
}

// findAgents finds what this machine knows of the agents.
func (f *feed) findAgents(ctx context.Context) {
	ids := f.board.IDs(board.Agents)
	presences, err := f.Store.Presences.List(ctx, f.board)
	if err == nil && !maps.Equal(presences, f.known.Presences) {
		f.known.Presences, f.news = presences, true
	}
	dead := map[board.AgentID]int{}
	for i, name := range ids {
		a := f.board.Agent(board.AgentID(name))
		switch {
		case a == nil:
		case len(ids) <= probedAtOnce || (i-f.probed%len(ids)+len(ids))%len(ids) < probedAtOnce:
			if pid := DeadSupervisor(f.Repo, a.Generation); pid != 0 {
				dead[a.ID] = pid
			}
		case f.known.Dead[a.ID] != 0:
			dead[a.ID] = f.known.Dead[a.ID]
		}
	}
	f.probed += probedAtOnce
	if !maps.Equal(dead, f.known.Dead) {
		f.known.Dead, f.news = dead, true
	}
}

// findActive reads who worked last if moves were counted since.
func (f *feed) findActive() {
	if f.isNew(countsFile(f.Clone)) {
		f.known.Active, f.news = ReadActive(f.Clone), true
	}
}

// A filePrint tells whether a file was written anew.
type filePrint struct {
	at   time.Time
	size int64
}

// isNew reports whether a file is another than when it was looked at last.
func (f *feed) isNew(path string) bool {
	var now filePrint
	if info, err := os.Stat(path); err == nil {
		now = filePrint{info.ModTime(), info.Size()}
	}
	was := f.prints[path]
	f.prints[path] = now
	return now != was
}
