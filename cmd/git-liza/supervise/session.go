package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

// session runs the agent's program once, from prompt to end, reports for it
// where that is the supervisor's, and returns what the board says afterwards.
func (s *supervisor) session(ctx context.Context, e *errand) (provider.Ending, *flow.Board, error) {
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return provider.Ending{}, nil, err
	}
	prompt, err := Prompt(b, s.assignment(e), s.rush.Layers...)
	if err != nil {
		return provider.Ending{}, nil, &unfitError{e.id(), err}
	}
	if t := b.Task(e.id()); t != nil {
		e.handoff = t.Handoff
	}
	e.tally.sessions++
	run := s.newRun(e, prompt.Text())
	s.presence.doing(doingOf[e.role], e.id(), fmt.Sprintf("session %d", e.tally.sessions))
	s.log.note("\n--- %s %s on %s, session %d: prompt\n%s--- output\n", time.Now().UTC().Format(time.RFC3339), s.id, e.subject(), e.tally.sessions,
		s.rush.mask.String(run.prompt))
	ground, err := s.ground(ctx)
	if err != nil {
		return provider.Ending{}, nil, err
	}
	ending, err := s.spawn(ctx, e, run)
	after := context.WithoutCancel(ctx)
	s.reclaim(after, e, ground, &ending)
	if proc.Unstartable(err) {
		return ending, nil, &unfitError{e.id(), err}
	}
	if err == nil && ending.Outcome == provider.Crashed && ctx.Err() == nil {
		if why := vanished(ctx, s.provider, s.rush.Environ); why != (Unfit{}) {
			return ending, nil, &unfitError{e.id(), errors.New(why.String())}
		}
	}
	if err != nil {
		ending = provider.Ending{Outcome: provider.Crashed, Text: err.Error()}
	}
	s.log.note("\n--- %s\n", ending.Text)
	b, err = s.judged(after)
	if err == nil && e.adopt(b, s.id) {
		s.lease = leaseOf(e.task)
	}
	if err == nil && ctx.Err() == nil && s.reports(e, ending, b) {
		b, err = s.reportFor(ctx, e, &ending)
	}
	if err != nil {
		return ending, nil, err
	}
	st := e.stage(b, s.id, s.generation)
	s.tie(run, e, ending, st)
	s.keep(after, run, e, ending, b, st)
	return ending, b, nil
}

// assignment is what the agent is told to do.
func (s *supervisor) assignment(e *errand) Assignment {
	return Assignment{Role: e.role, Agent: s.id, Task: e.id(), Worktree: e.dir, Failure: e.failure, Triggers: e.triggers,
		Report: string(s.provider.Commit), Compliance: string(s.provider.Contract), Await: s.rush.Limits.Await}
}

// judged is the board after a session: what a program that was killed has
// pushed may be on the remote only.
func (s *supervisor) judged(ctx context.Context) (*flow.Board, error) {
	if s.rush.link.remote != "" {
		if _, err := s.clone.Store.Mirror.Sync(ctx); err != nil && !s.rush.offline(err) {
			return nil, err
		}
	}
	b, _, err := s.clone.Store.Board(ctx)
	return b, err
}

// spawn runs the program, keeps its lease meanwhile, and ends it when the work
// is no longer its own, soon after the expected move, or with ctx.
func (s *supervisor) spawn(ctx context.Context, e *errand, run *run) (provider.Ending, error) {
	mark, err := s.clone.Mark(ctx, flow.Actor(s.id), s.generation.Child())
	if err != nil {
		return provider.Ending{}, err
	}
	programs, err := s.programs()
	if err != nil {
		return provider.Ending{}, err
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	wall := s.rush.Limits.Wall
	if e.role == flow.Planner {
		wall = s.rush.Limits.PlannerWall
	}
	w := &watcher{s: s, e: e, run: run, cancel: cancel}
	var ending provider.Ending
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ending, err = s.provider.Run(running, provider.Spawn{Agent: s.id, Generation: s.generation.Child(), Task: e.id(), Review: e.commit(),
			Session: run.chosen, Resume: run.thread.session, Dir: e.dir, Common: s.clone.Repo.CommonDir(),
			Mark: mark, Records: work.Records(s.clone.Repo), Prompt: run.prompt,
			Committer: s.rush.committer, Environ: s.rush.Environ, Programs: programs, Output: io.MultiWriter(s.log, run.output),
			Follow: s.rush.follower(s.id), Watch: w.affords, Idle: s.rush.Limits.Idle, Busy: w.waiting, Wall: wall, Grace: s.rush.Limits.Grace})
	}()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	s.hold(ctx, e, ended, beat.C, func(b *flow.Board, st stage) bool {
		goes := w.heed(b, st)
		s.allow(ctx, w, false)
		return goes
	})
	<-ended
	e.spent = w.spent.Load()
	tip, tipErr := s.clone.Store.Tip(context.WithoutCancel(ctx))
	floods := tipErr == nil && w.floods(tip)
	s.allow(context.WithoutCancel(ctx), w, true)
	if err == nil && floods {
		ending.Outcome, ending.Text = provider.Crashed, fmt.Sprintf("ended after %d moves, %d are allowed in a session", w.moves, s.rush.Limits.Moves)
	}
	return ending, err
}

// hold renews the errand's lease at half-life and calls heed whenever the
// board has changed and at each beat, until heed says no, the event happens or
// ctx is done.
func (s *supervisor) hold(ctx context.Context, e *errand, event <-chan struct{}, beat <-chan time.Time, heed func(*flow.Board, stage) bool) {
	renew := time.NewTimer(s.untilRenewal(e))
	defer renew.Stop()
	seen := flow.ObjectID("-")
	var b *flow.Board
	var st stage
	for ctx.Err() == nil {
		tip, changed := s.rush.view.Now()
		if tip != seen {
			if now, _, err := s.clone.Store.Board(ctx); err == nil {
				b, seen = now, tip
				if e.adopt(b, s.id) {
					s.lease = leaseOf(e.task)
					renew.Reset(s.untilRenewal(e))
				}
				st = e.stage(b, s.id, s.generation)
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
				continue // there is no lease until something comes back
			}
			next := s.renew(ctx, e)
			renew.Reset(max(next, s.untilRenewal(e)))
		}
	}
}

// Renewals are not closer together than this, whatever the lease.
const minRenewal = 100 * time.Millisecond

// untilRenewal is half of what is left of the lease.
func (s *supervisor) untilRenewal(e *errand) time.Duration {
	if e.task == nil {
		return time.Hour // a planner has no lease
	}
	return max(s.lease.Sub(s.clone.Store.Now())/2, minRenewal)
}

// renew prolongs the lease. A refusal says that the work is lost, which the
// board will show; any other failure is tried again, after the time returned.
func (s *supervisor) renew(ctx context.Context, e *errand) time.Duration {
	if e.task == nil {
		return 0
	}
	r, err := s.clone.Renew(ctx, e.task.ID, 0)
	var refusal *flow.Refusal
	switch {
	case err == nil:
		s.lease = leaseOf(r.After.Task(e.task.ID))
	case errors.As(err, &refusal), ctx.Err() != nil:
	case s.rush.offline(err):
		return s.rush.Limits.Pause
	default:
		s.sayOnce("%s: the lease of %s could not be renewed: %v", s.id, e.subject(), err)
	}
	return 0
}

func leaseOf(t *flow.Task) time.Time {
	switch {
	case t == nil:
	case t.Claim != nil:
		return t.Claim.Lease
	case t.Review != nil:
		return t.Review.Lease
	}
	return time.Time{}
}

// rest waits before the next session and keeps the errand; it goes on while
// the board is paused or in a checkpoint. It returns what the board says.
func (s *supervisor) rest(ctx context.Context, e *errand, d time.Duration) stage {
	over := make(chan struct{})
	timer := time.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	last := held
	paused := false
	heed := func(b *flow.Board, st stage) bool {
		last = st
		paused = b.Settings().Control.State != flow.Running
		return st == held || st == handed
	}
	s.hold(ctx, e, over, nil, heed)
	for ctx.Err() == nil && paused && (last == held || last == handed) {
		s.hold(ctx, e, nil, nil, func(b *flow.Board, st stage) bool { return heed(b, st) && paused })
	}
	return last
}
