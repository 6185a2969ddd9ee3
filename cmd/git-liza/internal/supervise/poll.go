package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A link is what a rush knows of the remote that holds its board: its name, "" if the
// clone holds the board itself, and whether it answers.
type link struct {
	remote string
	said   string // the poller's last complaint

	mu   sync.Mutex
	down bool
	last time.Time // when it was last known not to answer
}

// isUnanswered reports whether an error says that the remote could not be reached in
// time. Such an error may go away by waiting.
func isUnanswered(err error) bool {
	return errors.Is(err, gitstore.ErrOffline) || errors.Is(err, context.DeadlineExceeded)
}

// noteOffline is isUnanswered for an error of a supervisor or the poller. The rush says
// once that it is offline.
func (r *Rush) noteOffline(err error) bool {
	if r.link.remote == "" || !isUnanswered(err) {
		return false
	}
	if r.link.setDown(true) {
		r.ask(fmt.Sprintf("%v; running sessions continue, and nothing new begins until %s answers", err, r.link.remote))
	}
	return true
}

// setDown returns true if the state changed.
func (l *link) setDown(down bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	news := l.down != down
	if l.down || down {
		l.last = time.Now()
	}
	l.down = down
	return news
}

// failedSince reports whether the remote has failed to answer at some time since at.
func (l *link) failedSince(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down || l.last.After(at)
}

func (l *link) isDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// maxCutOff is how many sessions in a row may fail to reach a remote that answers their
// supervisor. After that many the cause is not one that goes away by waiting.
const maxCutOff = 3

// wasCutOff reports whether a session made no move because it could not reach the
// remote, as the supervisor saw it or as the session's commands said. Such a session
// does not count. The error means that the agent cannot work on this machine.
func (w *worker) wasCutOff(a *assignment, begun time.Time) (bool, error) {
	missed, said := w.missedRemote(begun)
	if !missed {
		w.cuts = 0
	}
	if said == "" {
		return missed, nil
	}
	w.rush.say(fmt.Sprintf("%s: the commands of its session did not reach %s: %s", w.id, w.rush.link.remote, w.rush.mask.String(said)))
	if w.cuts++; w.cuts >= maxCutOff {
		return true, &unfitError{a.taskID(), fmt.Errorf("%s answers here, but not in %d sessions in a row of provider %s: %s",
			w.rush.link.remote, w.cuts, w.provider.Name, w.rush.mask.String(said)), false}
	}
	return true, nil
}

// missedRemote reports whether the remote did not answer since a session began. said is
// what the session's commands said of it, "" if the supervisor saw it itself.
func (w *worker) missedRemote(begun time.Time) (missed bool, said string) {
	if w.rush.link.failedSince(begun) {
		return true, ""
	}
	if w.rush.link.remote != "" && w.provider.Commit != provider.BySupervisor {
		said = work.Offline(w.clone.Repo.CommonDir(), w.id, begun)
	}
	return said != "", said
}

// startPolling keeps the mirror of a remote up to date, in a goroutine that ends with
// ctx. It polls soon after a change, including one of this clone, and less often the
// longer nothing happens.
func (r *Rush) startPolling(ctx context.Context) error {
	if r.link.remote == "" {
		return nil
	}
	clone, err := r.Clone.As(ctx, r.Clone.By, r.Clone.Generation)
	if err != nil {
		return err
	}
	r.beside.Go(func() {
		tidied := board.ObjectID("") // the state after which the clone was last tidied
		r.view.Poll(ctx, r.Limits.Poll, r.Limits.MaxPoll, func() (news bool) {
			synced, err := clone.Store.Mirror.Sync(ctx)
			if ctx.Err() != nil {
				return false
			}
			if news = err == nil && synced.After != tidied; news {
				if _, err = clone.Checkouts.Tidy(ctx); err == nil {
					tidied = synced.After
				}
			}
			r.notePoll(err)
			if gitstore.IsDeclined(err) {
				_ = git.Wait(ctx, r.Limits.Declined) // whatever happens on the board
			}
			return news
		})
	})
	return nil
}

// notePoll handles the result of a poll, and says a complaint once.
func (r *Rush) notePoll(err error) {
	if r.noteOffline(err) {
		return
	}
	if err != nil {
		if text := err.Error(); text != r.link.said {
			r.link.said = text
			r.say(text)
		}
		return
	}
	r.link.said = ""
	if r.link.setDown(false) {
		r.say(r.link.remote + " answers again")
	}
	r.idle.recheckEnd() // the last of the other agents may have left
}

// othersMayMove reports whether a supervisor of another process or host could still
// make a move; then the rush is not over. It does not wait for a supervisor that let a
// whole lease pass without a move on the board.
func (r *Rush) othersMayMove(b *board.Board) bool {
	at := timeOn(b, r.Clone.Store.Now())
	if at.Sub(b.At()) > time.Duration(b.Settings().Config.Lease) {
		return false
	}
	own := lists.Set(r.idle.supervisors(), func(s *supervisor) board.AgentID { return s.id })
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if !own[a.ID] && a.Generation != "" && r.hasWork(b, a, at) {
			return true
		}
	}
	return false
}

// hasWork reports whether an agent's supervisor has something to do for the goals of
// this rush.
func (r *Rush) hasWork(b *board.Board, a *board.Agent, at time.Time) bool {
	caller := flow.Caller{By: board.Actor(a.ID), Principal: a.Principal, Generation: a.Generation}
	for _, t := range b.Tasks() {
		if !flow.Allows(t.Status, board.ActMerge) || !r.merges(t.Goal) {
			continue
		}
		if why := flow.Opens(b, board.ActMerge, t.ID, caller, at); why == nil || why.Rule == flow.RuleSpecChanged {
			return true
		}
	}
	if a.Degraded != "" {
		return false
	}
	if q, _ := flow.NextQuestion(b, caller, at, func(q *board.Question) bool {
		t := b.Task(q.Task)
		return t == nil || !r.serves(b, t.Goal)
	}); q != nil {
		return true
	}
	for _, act := range []board.Act{board.ActClaim, board.ActReview} {
		if b.CapacityOf(board.Actor(a.ID)) == flow.CapacityOf(act) {
			_, refusal := flow.Best(b, act, caller, at, func(t board.Summary) bool { return !r.serves(b, t.Goal) })
			return refusal == nil
		}
	}
	return len(flow.Triggers(b, r.goals()...)) > 0
}

// remoteSettled syncs once more before a rush may be over. It is false if the sync
// brought news or the remote did not answer.
func (r *Rush) remoteSettled(ctx context.Context) (bool, error) {
	if r.link.remote == "" {
		return true, nil
	}
	synced, err := r.Clone.Store.Mirror.Sync(ctx)
	if r.noteOffline(err) {
		return false, nil
	}
	return err == nil && synced.Before == synced.After, err
}
