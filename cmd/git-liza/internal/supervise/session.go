package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/templates"
)

// runSession runs the agent's program once, from prompt to end, and reports for the
// agent if that is the supervisor's part. It returns the board after the session.
func (w *worker) runSession(ctx context.Context, a *assignment) (provider.Ending, *board.Board, error) {
	work.TakeTold(w.clone.Repo, w.id) // the prompt has all of it
	work.TakeRefused(w.clone.Repo, w.id)
	b, _, err := w.clone.Store.Board(ctx)
	if err != nil {
		return provider.Ending{}, nil, err
	}
	if why := checkRow(b, w.id.Role(), w.provider); why != (Unfit{}) {
		return provider.Ending{}, nil, &unfitError{a.taskID(), errors.New(why.String()), false}
	}
	w.row = rowOf(b, a.role)
	if a.question != nil {
		w.row = withoutWriting(w.row)
	}
	in, err := w.promptInput(ctx, a, b)
	if err != nil {
		return provider.Ending{}, nil, err
	}
	prompt, err := Prompt(ctx, w.clone.Repo, b, in)
	if err != nil {
		return provider.Ending{}, nil, &unfitError{a.taskID(), err, false}
	}
	if t := b.Task(a.taskID()); t != nil {
		a.handoff = t.Handoff
	}
	a.tally.sessions++
	sess := w.newSession(ctx, a, prompt)
	sess.news = newsSince(w, b, in)
	w.presence.setDoing(doingOf[a.capacity], a.taskID(), fmt.Sprintf("session %d", a.tally.sessions))
	w.log.note("\n--- %s %s on %s, session %d: prompt\n%s--- output\n", time.Now().UTC().Format(time.RFC3339), w.id, a.subject(), a.tally.sessions, sess.told())
	base, err := w.workplace.takeBaseline(ctx)
	if err != nil {
		return provider.Ending{}, nil, err
	}
	ending, err := w.runProgram(ctx, a, sess)
	after := context.WithoutCancel(ctx)
	w.workplace.restoreBaseline(after, a, base, &ending)
	if provider.Unstartable(err) {
		return ending, nil, &unfitError{a.taskID(), err, true}
	}
	if err == nil && ending.Outcome == provider.Crashed && ctx.Err() == nil {
		if why := missingProgram(ctx, w.provider, w.rush.Environ); why != (Unfit{}) {
			return ending, nil, &unfitError{a.taskID(), errors.New(why.String()), true}
		}
	}
	w.starts = starts{known: true}
	refused := w.rush.mask.String(work.TakeRefused(w.clone.Repo, w.id))
	if err != nil {
		ending = provider.Ending{Outcome: provider.Crashed, Text: err.Error()}
	}
	w.log.note("\n--- %s\n", ending.Text)
	b, err = w.boardAfterSession(after)
	if err == nil && a.takeReclaimed(b, w.id) {
		a.lease = leaseOf(a.task, w.clone.By)
	}
	if err == nil && ctx.Err() == nil && w.reportsForAgent(a, ending, b) {
		b, err = w.makeReport(ctx, a, &ending)
	}
	if err != nil {
		return ending, nil, err
	}
	st := a.stageOn(b, w.id, w.generation)
	if st == held && ending.Refused == "" {
		ending.Refused = refused
	}
	if st == held && a.loops != "" {
		_ = w.workplace.recordAnomaly(after, a, board.RetryLoop, map[string]string{"count": strconv.Itoa(transcript.MaxRepeats), "error_pattern": a.loops})
	}
	w.keepPrior(sess, a, ending, st)
	if err := w.noteSubmission(after, b, sess.started); err != nil {
		return ending, nil, err
	}
	end, err := w.endOf(ctx, sess, ending, b, st)
	if err != nil {
		return ending, nil, err
	}
	a.ended = end.why
	w.recorder.recordSession(after, sess, ending, b, &flow.SessionMove{Outcome: a.sessionOutcome(b, st, ending), Of: end.of, Error: end.err})
	return ending, b, nil
}

// promptInput returns what the agent's prompt is made of.
func (w *worker) promptInput(ctx context.Context, a *assignment, b *board.Board) (in PromptInput, err error) {
	in = PromptInput{Role: a.role, Agent: w.id, Task: a.taskID(), Question: a.questionID(), At: w.clone.Store.Now(), Worktree: a.dir, Failure: a.failure, Triggers: a.triggers,
		Report: string(w.provider.Commit), Compliance: string(w.provider.Contract), Await: w.rush.Limits.Await, Environ: w.rush.Environ, Loads: w.provider.Loads, Advice: w.provider.Advice}
	if settings, err := confine.ReadSettings(ctx, &w.clone.Repo.Config.Configuration, w.rush.Environ); err == nil && w.provider.Confines() {
		state, _ := settings.State() // less than is required is said where the session begins
		in.Confined = state != proc.Unconfined
	}
	if in.Learnt = w.rush.Limits.Learnt; in.Learnt > 0 && in.Question == "" {
		if in.Rejections, err = EarlierRejections(ctx, w.clone.Store, b, b.Task(a.taskID())); err != nil {
			return in, err
		}
	}
	if a.capacity == board.Judges {
		in.Reviewed, err = LastReview(ctx, w.clone.Store, b.Task(a.taskID()), a.role)
	}
	return in, err
}

// boardAfterSession reads the board after a session. It syncs first: the moves of a
// program that was killed may be on the remote only.
func (w *worker) boardAfterSession(ctx context.Context) (*board.Board, error) {
	if w.rush.link.remote != "" {
		if _, err := w.clone.Store.Mirror.Sync(ctx); err != nil && !w.rush.noteOffline(err) {
			return nil, err
		}
	}
	b, _, err := w.clone.Store.Board(ctx)
	return b, err
}

// runProgram runs the program and renews the lease meanwhile. It ends the program when
// the agent loses the assignment, soon after the expected move, or with ctx.
func (w *worker) runProgram(ctx context.Context, a *assignment, sess *session) (provider.Ending, error) {
	mark, err := work.NewMark(ctx, w.clone.Store, board.Actor(w.id), w.generation.Child())
	if err != nil {
		return provider.Ending{}, err
	}
	spawn, remove, err := w.spawn(ctx, a)
	if err != nil {
		return provider.Ending{}, err
	}
	defer remove()
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wall := w.rush.Limits.Wall
	if a.capacity == board.Plans {
		wall = w.rush.Limits.PlannerWall
	}
	if a.question != nil {
		wall = min(wall, max(a.lease.Sub(w.clone.Store.Now()), minRenewal)) // nobody renews its lease
	}
	watch := &watcher{worker: w, assignment: a, session: sess, cancel: cancel}
	var ending provider.Ending
	var program sync.WaitGroup
	var unguarded atomic.Bool
	ended := make(chan struct{})
	end := sync.OnceFunc(func() { close(ended) })
	spawn.Unguarded = func() { unguarded.Store(true); end() }
	spawn.Session, spawn.Resume, spawn.Prompt, spawn.Board, spawn.Mark, spawn.Records = sess.chosenID, sess.prior.id, sess.prompt, w.rush.board, mark, work.Records(w.clone.Repo)
	endConfined, err := confineSession(ctx, w, a, &spawn, mark)
	if err != nil {
		return provider.Ending{}, err
	}
	defer endConfined()
	if spawn.Domain != nil {
		sess.confined = proc.Confinement()
	}
	spawn.Output, spawn.Follow, spawn.Watch, spawn.Full, spawn.Busy = io.MultiWriter(w.log, sess.output), w.rush.followOutput(w.id), watch.withinBudget, watch.handsOver, watch.agentWaits
	spawn.System = sess.contract
	spawn.Ends, spawn.HandoffRequest, spawn.Idle, spawn.Wall, spawn.Grace = a.endsWith(w.provider, w.rush.Limits), handoffRequest(a.taskID()), w.rush.Limits.Idle, wall, w.rush.Limits.Grace
	program.Go(func() {
		defer end()
		ending, err = w.provider.Run(running, spawn)
	})
	beat := time.NewTicker(watchInterval)
	defer beat.Stop()
	w.holdAssignment(ctx, a, ended, beat.C, func(b *board.Board, st stage) bool {
		watch.checkBoard(b, st)
		w.allowCommands(ctx, watch, false)
		return true
	})
	if <-ended; unguarded.Load() {
		w.ask("%s: the guard of its session on %s was killed, and what the session left may act as anybody: git liza inbox", w.id, a.subject())
		_ = w.workplace.recordAnomaly(context.WithoutCancel(ctx), a, board.GuardKilled, map[string]string{"agent": string(w.id)})
	}
	program.Wait()
	if a.capacity == board.Does && !unguarded.Load() {
		err = errors.Join(err, work.ClearLocks(a.dir))
	}
	a.loops = ""
	a.outOfBudget = watch.outOfBudget.Load() && ending.Outcome == provider.Canceled // not at its own end
	tip, tipErr := w.clone.Store.Tip(context.WithoutCancel(ctx))
	floods := tipErr == nil && watch.overMoves(tip)
	w.allowCommands(context.WithoutCancel(ctx), watch, true)
	if err == nil && floods {
		ending.Outcome, ending.Text = provider.Crashed, fmt.Sprintf("ended after %d moves, %d are allowed in a session", watch.moves, w.rush.Limits.Moves)
	}
	if why := watch.cut.Load(); err == nil && why != nil && ending.Outcome == provider.Canceled {
		ending.Outcome, ending.Text = provider.Exhausted, *why // its budget is no fault of the work, which goes on
		if call := watch.loops.Load(); call != nil {
			ending.Outcome, a.loops = provider.Crashed, *call
		}
	}
	if err == nil && unguarded.Load() {
		ending.Outcome, ending.Text = provider.Failed, "its guard was killed"
	}
	return ending, err
}

// holdAssignment renews the assignment's lease at half-life. It calls heed at each beat
// and whenever the board has changed, until heed returns false, the event happens or
// ctx is done.
func (w *worker) holdAssignment(ctx context.Context, a *assignment, event <-chan struct{}, beat <-chan time.Time, heed func(*board.Board, stage) bool) {
	renew := time.NewTimer(w.untilRenewal(a))
	defer renew.Stop()
	seen := board.ObjectID("-")
	var b *board.Board
	var st stage
	for ctx.Err() == nil {
		tip, changed := w.rush.view.Now()
		if tip != seen {
			if now, _, err := w.clone.Store.Board(ctx); err == nil {
				b, seen = now, tip
				if a.takeReclaimed(b, w.id) {
					a.lease = leaseOf(a.task, w.clone.By)
					renew.Reset(w.untilRenewal(a))
				}
				st = a.stageOn(b, w.id, w.generation)
			}
		}
		if b != nil && !heed(b, st) {
			return
		}
		select {
		case <-event:
			return
		case <-ctx.Done():
			return
		case <-changed:
		case <-beat:
		case <-renew.C:
			if st == done {
				continue // there is no lease until the task is claimed again
			}
			next := w.renewLease(ctx, a)
			renew.Reset(max(next, w.untilRenewal(a)))
		}
	}
}

// minRenewal is the shortest time between two renewals, whatever the lease.
const minRenewal = 100 * time.Millisecond

// untilRenewal returns half of what is left of the lease.
func (w *worker) untilRenewal(a *assignment) time.Duration {
	if a.task == nil {
		return time.Hour // a planner has no lease
	}
	return max(a.lease.Sub(w.clone.Store.Now())/2, minRenewal)
}

// renewLease renews the lease. A refusal means that the assignment is lost, which the
// board will show; any other failure is tried again after the time returned.
func (w *worker) renewLease(ctx context.Context, a *assignment) time.Duration {
	if a.task == nil {
		return 0
	}
	r, err := w.clone.Renew(ctx, a.task.ID, flow.RenewMove{})
	switch {
	case err == nil:
		a.lease = leaseOf(r.After.Task(a.task.ID), w.clone.By)
	case flow.IsRefused(err), ctx.Err() != nil:
	case w.rush.noteOffline(err):
		return w.rush.Limits.pauseAfter(err, 0)
	default:
		w.sayOnce("%s: the lease of %s could not be renewed: %v", w.id, a.subject(), err)
		if gitstore.IsDeclined(err) {
			return w.rush.Limits.Declined
		}
	}
	return 0
}

// leaseOf is when the claim of a task ends, or the review of it that the actor holds;
// zero if there is neither.
func leaseOf(t *board.Task, by board.Actor) time.Time {
	if t == nil {
		return time.Time{}
	}
	if t.Claim != nil {
		return t.Claim.Lease
	}
	if _, held := t.HeldReview(by); held != nil {
		return held.Lease
	}
	return time.Time{}
}

// waitHolding waits before the next session and keeps the assignment. It waits longer
// while the board is paused or in a checkpoint. It returns what the board says.
func (w *worker) waitHolding(ctx context.Context, a *assignment, d time.Duration) stage {
	over := make(chan struct{})
	timer := time.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	last := held
	paused := false
	heed := func(b *board.Board, st stage) bool {
		last = st
		paused = !b.Settings().Control.State.IsRunning()
		return st == held || st == handed
	}
	w.holdAssignment(ctx, a, over, nil, heed)
	for ctx.Err() == nil && paused && (last == held || last == handed) {
		w.holdAssignment(ctx, a, nil, nil, func(b *board.Board, st stage) bool { return heed(b, st) && paused })
	}
	return last
}

// A session is one run of an agent's program, with what is to be recorded of it.
type session struct {
	assignment *assignment
	contract   string // of its prompt, if the system prompt has it
	prompt     string
	made       templates.Prompt // all of it
	begun      time.Time        // by the clock of the board
	started    time.Time
	chosenID   string         // the id that the provider's session shall have
	prior      priorSession   // the session that it continues
	counting   provider.Usage // what its records count; "" if it continues no session
	output     *proc.Clip
	news       *sessionNews
	confined   proc.Confined // how far it was
}

// told is all that the session was told at its beginning.
func (r *session) told() string { return strings.TrimPrefix(r.contract+"\n"+r.prompt, "\n") }

// keptOutput is how many bytes of the beginning, and of the end, of a session's output
// are kept for its record.
const keptOutput = 512 << 10

func (w *worker) newSession(ctx context.Context, a *assignment, prompt templates.Prompt) *session {
	r := &session{assignment: a, made: prompt, begun: w.clone.Store.Now(), started: time.Now(), prior: w.priorOf(ctx, a), output: proc.NewClip(keptOutput)}
	// An argument cannot be longer.
	if contract, rest := prompt.Split(); len(w.provider.System) > 0 && len(contract.Text()) < 64<<10 {
		r.contract, prompt = w.rush.mask.String(contract.Text()), rest
	}
	if r.prior.told != "" {
		r.prior.prompt.Sections = lists.Where(prompt.Sections, func(s templates.Section) bool {
			return strings.Contains(r.prior.told+"\n", w.rush.mask.String(s.Text)+"\n\n")
		})
	}
	if len(r.prior.prompt.Sections) > 0 && !w.provider.ACP { // which may begin a session where it cannot go on
		prompt = prompt.Since(r.prior.prompt)
	}
	r.prompt = w.rush.mask.String(prompt.Text())
	if r.prior.id == "" && len(w.provider.Session) > 0 {
		r.chosenID = provider.NewSession()
	}
	if r.prior.id != "" {
		r.counting = w.provider.Usage
	}
	w.rush.usage.beginSession(r)
	return r
}
