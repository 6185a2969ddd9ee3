package supervise

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// heartbeat is how often a watcher looks at what does not show on the board.
const heartbeat = 200 * time.Millisecond

// A watcher ends a session when its work is no longer its own, soon after the
// expected move, when it has used up the budget, and when it floods the board.
type watcher struct {
	s      *supervisor
	e      *errand
	run    *run
	cancel context.CancelFunc

	made   time.Time // when the expected move was seen; zero while it is awaited
	over   time.Time // when the session is ended
	waited bool      // the agent has waited in it for what becomes of its move
	back   bool      // and it came back

	seen  flow.ObjectID // the state up to which its moves are counted
	moves int
	wants []string // commands that they put on the board, not looked at yet

	left  atomic.Pointer[flow.Budget] // nil while nothing bounds it
	spent atomic.Bool
}

// heed is told what the board says, and at each beat.
func (w *watcher) heed(b *flow.Board, st stage) bool {
	w.budget(b)
	if w.late(b) {
		w.spent.Store(true)
		w.cancel()
	}
	if tip, _ := w.s.rush.view.Now(); w.floods(tip) {
		w.cancel()
	}
	switch st {
	case held:
		w.made, w.waited, w.back = time.Time{}, false, false
	case handed, done:
		w.linger(b)
		if time.Now().After(w.over) {
			w.cancel()
		}
	default:
		w.cancel()
	}
	return true
}

// besideLook is how often what other sessions spend is looked at.
const besideLook = time.Second

// budget notes what is left for the session.
func (w *watcher) budget(b *flow.Board) {
	left, bounded := b.Left(w.e.id())
	if !bounded {
		w.left.Store(nil)
		return
	}
	if beside := w.s.beside(context.Background(), b, besideLook); len(beside) > 0 {
		left, _ = b.Left(w.e.id(), beside...)
	}
	w.left.Store(&left)
}

// late reports whether the sessions on the task have taken all the minutes that
// they may, with this one.
func (w *watcher) late(b *flow.Board) bool {
	bounds, _ := w.s.binding(b, w.e.id())
	t := b.Task(w.e.id())
	return t != nil && bounds.TaskMinutes > 0 && time.Duration(t.Usage.Seconds)*time.Second+time.Since(w.run.started) >= time.Duration(bounds.TaskMinutes)*time.Minute
}

// floods counts the moves that the agent has made in this session up to a state
// of the board; it is true when they are too many.
func (w *watcher) floods(tip flow.ObjectID) bool {
	if tip != w.seen {
		w.count(tip)
	}
	return w.moves > w.s.rush.Limits.Moves
}

// count goes back to the moves that are counted already. Where a remote has
// changed their order they are not met, and all since the session began count.
func (w *watcher) count(tip flow.ObjectID) {
	n := 0
	err := w.s.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == w.seen {
			n += w.moves
			return false, nil
		}
		if e.Move.By == flow.Actor(w.s.id) && e.Move.Generation == w.s.generation.Child() {
			n++
			w.wants = append(w.wants, verifies(e.Move.Detail)...)
		}
		return !e.Move.At.Before(w.run.begun.Truncate(time.Second)), nil
	})
	if err == nil {
		w.seen, w.moves = tip, n
	}
}

// linger decides how long the session may go on after its move: a little while,
// or as long as the agent waits in it.
func (w *watcher) linger(b *flow.Board) {
	now, limits := time.Now(), w.s.rush.Limits
	if w.made.IsZero() {
		w.made, w.over = now, now.Add(limits.Finish)
	}
	switch {
	case limits.Await == 0 || w.e.role != flow.Coder:
	case now.Before(w.made.Add(limits.Await)) && w.waiting():
		w.over, w.waited = now.Add(limits.Finish), true
	case w.waited && !w.back && w.returned(b):
		w.over, w.back = now.Add(limits.Return), true
	}
}

// waiting reports whether the agent waits inside its session, as it may: most
// programs show nothing of a command that runs.
func (w *watcher) waiting() bool {
	return w.s.rush.Limits.Await > 0 && w.e.role == flow.Coder && work.Awaiting(w.s.clone.Repo.CommonDir(), w.s.id)
}

// returned reports whether the agent may claim again what it submitted.
func (w *watcher) returned(b *flow.Board) bool {
	return b.Opens(flow.ActClaim, w.e.id(), w.s.clone.Caller, w.s.at(b)) == nil
}

// affords is told what the session has used so far; it is false when no more
// is left.
func (w *watcher) affords(report transcript.Report) bool {
	used := w.run.used(report)
	w.s.presence.spends(used, report.Model)
	left := w.left.Load()
	if left == nil {
		return true
	}
	if left.Tokens != 0 && used.Tokens() >= left.Tokens || left.Cost != 0 && used.Cost >= left.Cost {
		w.spent.Store(true)
		return false
	}
	return true
}
