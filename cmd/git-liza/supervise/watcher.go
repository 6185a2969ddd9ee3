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
	worker     *worker
	assignment *assignment
	session    *session
	cancel     context.CancelFunc

	madeAt      time.Time // when the expected move was seen; zero while it is awaited
	deadline    time.Time // when the session is ended
	agentWaited bool      // the agent has waited in it for what becomes of its move
	cameBack    bool      // and it came back

	countedTip  flow.ObjectID // the state up to which its moves are counted
	moves       int
	newCommands []string // commands that they put on the board, not looked at yet

	budgetLeft  atomic.Pointer[flow.Budget] // nil while nothing bounds it
	outOfBudget atomic.Bool
}

// checkBoard is told what the board says, and at each beat.
func (watch *watcher) checkBoard(b *flow.Board, st stage) bool {
	watch.noteBudget(b)
	if watch.overMinutes(b) {
		watch.outOfBudget.Store(true)
		watch.cancel()
	}
	if tip, _ := watch.worker.rush.view.Now(); watch.overMoves(tip) {
		watch.cancel()
	}
	switch st {
	case held:
		watch.madeAt, watch.agentWaited, watch.cameBack = time.Time{}, false, false
	case handed, done:
		watch.setDeadline(b)
		if time.Now().After(watch.deadline) {
			watch.cancel()
		}
	default:
		watch.cancel()
	}
	return true
}

// besideLook is how often what other sessions spend is looked at.
const besideLook = time.Second

// noteBudget notes what is left for the session.
func (watch *watcher) noteBudget(b *flow.Board) {
	left, bounded := b.Left(watch.assignment.taskID())
	if !bounded {
		watch.budgetLeft.Store(nil)
		return
	}
	if beside := watch.worker.recorder.unrecordedSpending(context.Background(), b, besideLook); len(beside) > 0 {
		left, _ = b.Left(watch.assignment.taskID(), beside...)
	}
	watch.budgetLeft.Store(&left)
}

// overMinutes reports whether the sessions on the task have taken all the minutes that
// they may, with this one.
func (watch *watcher) overMinutes(b *flow.Board) bool {
	bounds, _ := watch.worker.boundsFor(b, watch.assignment.taskID())
	t := b.Task(watch.assignment.taskID())
	return t != nil && bounds.TaskMinutes > 0 && time.Duration(t.Usage.Seconds)*time.Second+time.Since(watch.session.started) >= time.Duration(bounds.TaskMinutes)*time.Minute
}

// overMoves counts the moves that the agent has made in this session up to a state
// of the board; it is true when they are too many.
func (watch *watcher) overMoves(tip flow.ObjectID) bool {
	if tip != watch.countedTip {
		watch.countMoves(tip)
	}
	return watch.moves > watch.worker.rush.Limits.Moves
}

// countMoves goes back to the moves that are counted already. Where a remote has
// changed their order they are not met, and all since the session began count.
func (watch *watcher) countMoves(tip flow.ObjectID) {
	n := 0
	err := watch.worker.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == watch.countedTip {
			n += watch.moves
			return false, nil
		}
		if e.Move.By == flow.Actor(watch.worker.id) && e.Move.Generation == watch.worker.generation.Child() {
			n++
			watch.newCommands = append(watch.newCommands, verifyCommands(e.Move.Detail)...)
		}
		return !e.Move.At.Before(watch.session.begun.Truncate(time.Second)), nil
	})
	if err == nil {
		watch.countedTip, watch.moves = tip, n
	}
}

// setDeadline decides how long the session may go on after its move: a little while,
// or as long as the agent waits in it.
func (watch *watcher) setDeadline(b *flow.Board) {
	now, limits := time.Now(), watch.worker.rush.Limits
	if watch.madeAt.IsZero() {
		watch.madeAt, watch.deadline = now, now.Add(limits.Finish)
	}
	switch {
	case limits.Await == 0 || watch.assignment.role != flow.Coder:
	case now.Before(watch.madeAt.Add(limits.Await)) && watch.agentWaits():
		watch.deadline, watch.agentWaited = now.Add(limits.Finish), true
	case watch.agentWaited && !watch.cameBack && watch.mayClaimAgain(b):
		watch.deadline, watch.cameBack = now.Add(limits.Return), true
	}
}

// agentWaits reports whether the agent waits inside its session, as it may: most
// programs show nothing of a command that runs.
func (watch *watcher) agentWaits() bool {
	return watch.worker.rush.Limits.Await > 0 && watch.assignment.role == flow.Coder && work.Awaiting(watch.worker.clone.Repo.CommonDir(), watch.worker.id)
}

// mayClaimAgain reports whether the agent may claim again what it submitted.
func (watch *watcher) mayClaimAgain(b *flow.Board) bool {
	return b.Opens(flow.ActClaim, watch.assignment.taskID(), watch.worker.clone.Caller, watch.worker.boardTime(b)) == nil
}

// withinBudget is told what the session has used so far; it is false when no more
// is left.
func (watch *watcher) withinBudget(report transcript.Report) bool {
	used := watch.session.usageOf(report)
	watch.worker.presence.setUsage(used, report.Model)
	left := watch.budgetLeft.Load()
	if left == nil {
		return true
	}
	if left.Tokens != 0 && used.Tokens() >= left.Tokens || left.Cost != 0 && used.Cost >= left.Cost {
		watch.outOfBudget.Store(true)
		return false
	}
	return true
}
