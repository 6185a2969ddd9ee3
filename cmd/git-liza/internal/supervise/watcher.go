package supervise

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// watchInterval is how often a watcher checks what the board does not show.
const watchInterval = 200 * time.Millisecond

// lastWords is how long after the move that ends a session its program may still tell what the
// answer that made it has used.
const lastWords = 500 * time.Millisecond

// A watcher ends a session when the agent loses the assignment, soon after the expected
// move, when the budget is used up, and when the agent floods the board.
type watcher struct {
	worker     *worker
	assignment *assignment
	session    *session
	cancel     context.CancelCauseFunc

	madeAt      time.Time // when the expected move was seen; zero while it is awaited
	deadline    time.Time // when the session is ended
	enough      error     // proc.ErrFinished if it has said all by the deadline
	agentWaited bool      // the agent has waited in it for the verdict
	cameBack    bool      // the task came back to an agent that waited

	countedTip  board.ObjectID // the state up to which the agent's moves are counted
	moves       int
	newCommands []string // commands that these moves put on the board and that are not handled yet

	works       atomic.Bool                  // the agent holds a task to do, and has neither submitted nor left a handoff
	budgetLeft  atomic.Pointer[board.Budget] // nil if nothing bounds it
	outOfBudget atomic.Bool
	perSession  atomic.Pointer[board.Budget]
	cut         atomic.Pointer[string] // why it is ended although the work may go on; nil if it is not
	loops       atomic.Pointer[string] // the call that it repeats; nil if it does not
}

// checkBoard is called with the board at each change and at each beat.
func (watch *watcher) checkBoard(b *board.Board, st stage) {
	watch.noteBudget(b)
	watch.works.Store(st == held && watch.assignment.capacity == board.Does)
	watch.session.news.tell(b)
	if watch.overMinutes(b) {
		watch.outOfBudget.Store(true)
		watch.cancel(nil)
	}
	if tip, _ := watch.worker.rush.view.Now(); watch.overMoves(tip) {
		watch.cancel(nil)
	}
	switch st {
	case held:
		watch.madeAt, watch.agentWaited, watch.cameBack = time.Time{}, false, false
	case handed, done:
		watch.setDeadline(b)
		if time.Now().After(watch.deadline) {
			watch.cancel(watch.enough)
		}
	default:
		watch.cancel(nil)
	}
}

// spendingInterval is how often the watcher reads what other sessions spend.
const spendingInterval = time.Second

// noteBudget notes how much of the budget is left for the session.
func (watch *watcher) noteBudget(b *board.Board) {
	most := b.Settings().Config.Budgets.Session
	watch.perSession.Store(&most)
	left, bounded := flow.RemainingBudget(b, watch.assignment.goal(), watch.assignment.taskID())
	if !bounded {
		watch.budgetLeft.Store(nil)
		return
	}
	if beside := watch.worker.recorder.unrecordedSpending(context.Background(), b, spendingInterval); len(beside) > 0 {
		left, _ = flow.RemainingBudget(b, watch.assignment.goal(), watch.assignment.taskID(), beside...)
	}
	watch.budgetLeft.Store(&left)
}

// overMinutes reports whether the sessions on the task, with this one, have taken all
// the minutes that the bounds allow.
func (watch *watcher) overMinutes(b *board.Board) bool {
	bounds, _ := watch.worker.boundsFor(b, watch.assignment.taskID())
	t := b.Task(watch.assignment.taskID())
	return t != nil && bounds.TaskMinutes > 0 && time.Duration(t.Usage.Seconds)*time.Second+time.Since(watch.session.started) >= time.Duration(bounds.TaskMinutes)*time.Minute
}

// overMoves counts the agent's moves in this session up to a state of the board. It is
// true if they are too many.
func (watch *watcher) overMoves(tip board.ObjectID) bool {
	if tip != watch.countedTip {
		watch.countMoves(tip)
	}
	return watch.moves > watch.worker.rush.Limits.Moves
}

// countMoves counts the agent's moves back to the state that was counted last. If a
// remote has reordered the moves, that state is not met, and all moves since the
// session began count.
func (watch *watcher) countMoves(tip board.ObjectID) {
	n := 0
	err := watch.worker.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		if e.Commit == watch.countedTip {
			n += watch.moves
			return false, nil
		}
		if e.Move.By == board.Actor(watch.worker.id) && e.Move.Generation == watch.worker.generation.Child() {
			n++
			watch.newCommands = append(watch.newCommands, work.Verifying(flow.Described(e.Move.Detail))...)
		}
		return !e.Move.At.Before(watch.session.begun.Truncate(time.Second)), nil
	})
	if err == nil {
		watch.countedTip, watch.moves = tip, n
	}
}

// setDeadline sets how long the session may go on after its move: a short time, or as
// long as the agent waits in it.
func (watch *watcher) setDeadline(b *board.Board) {
	now, limits := time.Now(), watch.worker.rush.Limits
	if watch.madeAt.IsZero() {
		watch.madeAt, watch.deadline = now, now.Add(limits.Finish)
		if watch.assignment.question != nil {
			watch.deadline = now.Add(limits.Grace) // it was spawned for the answer alone
		}
		if watch.enough = nil; watch.assignment.endsWith(watch.worker.provider, limits) != "" {
			watch.deadline, watch.enough = now.Add(lastWords), proc.ErrFinished
			if watch.worker.provider.Ends == provider.EndsTold {
				watch.deadline = now.Add(limits.Grace)
			}
		}
	}
	switch {
	case limits.Await == 0 || watch.assignment.capacity != board.Does:
	case now.Before(watch.madeAt.Add(limits.Await)) && watch.agentWaits():
		watch.deadline, watch.agentWaited = now.Add(limits.Finish), true
	case watch.agentWaited && !watch.cameBack && flow.Opens(b, board.ActClaim, watch.assignment.taskID(), watch.worker.clone.Caller, watch.worker.boardTime(b)) == nil:
		watch.deadline, watch.cameBack = now.Add(limits.Return), true
	}
}

// agentWaits reports whether the agent waits inside its session. The session's end is
// put off then, because most programs print nothing while a command runs.
func (watch *watcher) agentWaits() bool {
	return watch.worker.rush.Limits.Await > 0 && watch.assignment.capacity == board.Does && work.Awaiting(watch.worker.clone.Repo.CommonDir(), watch.worker.id)
}

// withinBudget is called with what the session has used so far. It is false if the
// budget is used up, or if the session goes round in a loop.
func (watch *watcher) withinBudget(report transcript.Report) bool {
	used := watch.session.usageOf(report)
	watch.worker.presence.setUsage(used, report.Model)
	watch.worker.presence.setContext(provider.Percent(watch.worker.provider.Fullness(report)))
	if report.Loop != "" {
		call := watch.worker.rush.mask.String(report.Loop)
		why := fmt.Sprintf("ended after %d times the same call with the same result: %s", transcript.MaxRepeats, call)
		watch.loops.Store(&call)
		watch.cut.Store(&why)
		return false
	}
	if most := watch.perSession.Load(); most != nil && (most.Tokens != 0 && used.Tokens() >= most.Tokens || most.Cost != 0 && used.Cost >= most.Cost) {
		why := fmt.Sprintf("ended after %d tokens and %s dollars, the budget of a session; git liza config budgets.session", used.Tokens(), used.Cost)
		watch.cut.Store(&why)
		return false
	}
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

// handsOver reports whether an agent whose context is so full shall leave its work to
// another session.
func (watch *watcher) handsOver(fullness float64) bool {
	most := watch.worker.rush.Limits.Context
	return most > 0 && fullness >= most && watch.works.Load()
}

// allowCommands allows on this machine the commands that the planner put on the board,
// if the user trusts planners here. The supervisor does it because the planner may be
// kept from writing git's configuration. A failed try, such as one at a locked file, is
// repeated until the session is over.
func (w *worker) allowCommands(ctx context.Context, watch *watcher, over bool) {
	if len(watch.newCommands) == 0 || watch.assignment.capacity != board.Plans || !w.rush.settings.wasOn(work.TrustPlanner) {
		return
	}
	err := w.clone.Trust.AllowOwn(ctx, watch.newCommands...)
	switch {
	case err == nil:
		watch.newCommands = nil
	case over:
		w.sayOnce("%s: its checks could not be allowed here: %v", w.id, err)
	}
}
