package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A supervisor gives one agent its work, one piece after the other. It is one
// goroutine with a clone of its own.
type supervisor struct {
	rush       *Rush
	post       Post
	id         flow.AgentID
	generation flow.Generation
	clone      *work.Clone
	provider   provider.Provider
	log        *log
	presence   *presence
	vacate     func() // ends the word that its registration has a supervisor

	lease    time.Time                 // of what it holds
	avoided  map[flow.TaskID]time.Time // until when tasks that cannot be taken here are left to others
	unsure   time.Time                 // until when a planner here may still have a command allowed
	failures map[flow.TaskID]string    // how its last review of a task ended without a verdict
	threads  map[flow.TaskID]thread    // what its next session on a task may go on with
	owed     []debt                    // sessions that are to be recorded
	cuts     int                       // sessions in a row whose commands did not reach the remote
	shaky    int                       // reviews in a row without a verdict
	resume   time.Time                 // no review before this
	said     string                    // the last complaint, so that it is not repeated
}

// A turn is what one look at the board led to.
type turn struct {
	moved  bool      // something was done: look again at once
	piece  bool      // and it was a piece of the agent's own work
	failed string    // why that piece did not end as it should
	due    time.Time // when the board will let something happen by itself; zero if never
	retry  time.Time // when something that needs a person is tried again; zero if never

	lull string // what the agent does where nothing was done, "" for waiting
	why  string
}

// soon brings the time of the next look forward.
func (t *turn) soon(at time.Time) {
	if t.due.IsZero() || at.Before(t.due) {
		t.due = at
	}
}

// maxTroubles is how many looks in a row may end with an error that could go
// away, such as a locked ref.
const maxTroubles = 8

// run is the supervisor's life. It ends without an error when ctx is done, the
// board is STOPPED, the post's time without work is over or its one piece of
// work is done.
func (s *supervisor) run(ctx context.Context) error {
	defer func() { s.vacate() }()
	if entered, err := s.enter(ctx); err != nil || !entered {
		return err
	}
	defer s.leave(ctx)
	var err error
	if s.log, err = openLog(s.rush.Clone.Repo.CommonDir(), s.id); err != nil {
		return err
	}
	defer s.log.close()
	s.presence.enter()
	if err := s.fit(ctx); err != nil {
		return err
	}
	return s.serve(ctx)
}

// serve looks at the board and does what is to be done, until there is an end.
func (s *supervisor) serve(ctx context.Context) error {
	idle := time.Now()
	troubles := 0
	for {
		tip, changed := s.rush.view.Now()
		t, stopped, err := s.look(ctx)
		switch {
		case stopped || ctx.Err() != nil:
			return nil
		case s.rush.offline(err):
			t.soon(time.Now().Add(max(s.rush.Limits.Pause, work.QuickLook)))
		case troubles < maxTroubles && s.retrieved(ctx, err):
			troubles++
			continue
		case err != nil && (fatal(err) || troubles == maxTroubles):
			return err
		case err != nil:
			s.sayOnce("%s: %v", s.id, err)
			t.soon(time.Now().Add(s.rush.Limits.pause(troubles)))
			troubles++
		default:
			troubles = 0
		}
		if t.piece && s.post.Once {
			return failedPiece(s.id, t.failed)
		}
		if t.moved && err == nil {
			idle = time.Now()
			s.rush.roll.busy(s)
			continue
		}
		if !s.wait(ctx, t, tip, changed, idle) {
			return nil
		}
	}
}

func failedPiece(id flow.AgentID, why string) error {
	if why == "" {
		return nil
	}
	return fmt.Errorf("the work of %s did not end as it should: %s", id, why)
}

// fatal errors are those that no waiting mends.
func fatal(err error) bool {
	var refusal *flow.Refusal
	var malformed *document.Error
	var breach *gitstore.Breach
	return errors.As(err, &refusal) || errors.As(err, &malformed) || errors.As(err, &breach) ||
		errors.Is(err, gitstore.ErrNoBoard) || errors.Is(err, gitstore.ErrDiverged) || errors.Is(err, gitstore.ErrStateLost) || errors.Is(err, gitstore.ErrClock) || errors.Is(err, git.ErrNoIdentity)
}

// wait sleeps until the board changes or something is due. It is false when
// ctx is done or the post's time without work is over.
func (s *supervisor) wait(ctx context.Context, t turn, tip flow.ObjectID, changed <-chan struct{}, idle time.Time) bool {
	s.presence.doing(cmp.Or(t.lull, waiting), "", t.why)
	if t.due.IsZero() {
		s.rush.roll.idle(s, tip)
	} else {
		s.rush.roll.busy(s)
	}
	next := t.due
	if next.IsZero() || !t.retry.IsZero() && t.retry.Before(next) {
		next = t.retry
	}
	var wake, over <-chan time.Time
	if !next.IsZero() {
		timer := time.NewTimer(max(time.Until(next), work.QuickLook))
		defer timer.Stop()
		wake = timer.C
	}
	if s.post.MaxWait > 0 {
		timer := time.NewTimer(time.Until(idle.Add(s.post.MaxWait)))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-wake:
	case <-over:
		s.say("%s: nothing to do for %s", s.id, s.post.MaxWait)
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// look reads the board once and does what is to be done.
func (s *supervisor) look(ctx context.Context) (turn, bool, error) {
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return turn{}, false, err
	}
	control := b.Settings().Control.State
	if control == flow.Stopped {
		return turn{}, true, nil
	}
	a := b.Agent(s.id)
	if a == nil || a.Generation != s.generation {
		return turn{}, false, s.replaced()
	}
	if control != flow.Running {
		return turn{why: "the board is " + control.String()}, false, nil
	}
	if s.rush.link.isDown() {
		return turn{due: time.Now().Add(max(s.rush.Limits.Pause, work.QuickLook)), why: s.rush.link.remote + " does not answer"}, false, nil
	}
	if len(s.owed) > 0 {
		s.pay(ctx)
		return turn{moved: true}, false, nil
	}
	tasks := b.Tasks()
	if err := b.Err(); err != nil {
		return turn{}, false, err
	}
	t, err := s.merge(ctx, b, tasks)
	if t.moved || err != nil {
		return t, false, err
	}
	now := s.at(b)
	if next := b.Next(s.post.Role, now); !next.IsZero() {
		t.soon(time.Now().Add(next.Sub(now)))
	}
	if a.Degraded != "" {
		t.lull, t.why = degraded, a.Degraded
		return t, false, b.Err()
	}
	if p, err := s.paused(); p != nil || err != nil {
		if p != nil {
			t = s.pausing(*p, t)
		}
		return t, false, err
	}
	done, err := s.work(ctx, b)
	var unfit *unfitError
	if errors.As(err, &unfit) {
		return turn{moved: true, piece: true, failed: unfit.Error()}, false, s.degrade(ctx, unfit)
	}
	if !done.due.IsZero() {
		t.soon(done.due)
	}
	done.due = t.due
	if !done.moved && err == nil {
		s.rush.tellHeld(ctx, s.clone, b, tasks)
	}
	if done.retry.IsZero() || !t.retry.IsZero() && t.retry.Before(done.retry) {
		done.retry = t.retry
	}
	return done, false, errors.Join(err, b.Err())
}

// replaced is the end of a supervisor whose registration is no longer its own.
func (s *supervisor) replaced() error {
	return &flow.Refusal{Rule: flow.RuleStale, Hint: "git liza agents",
		Reason: fmt.Sprintf("%s is registered with another generation: a newer registration has replaced this one, or it has ended", s.id)}
}

func (s *supervisor) work(ctx context.Context, b *flow.Board) (turn, error) {
	switch s.post.Role {
	case flow.Planner:
		return s.plan(ctx, b)
	case flow.Coder:
		return s.code(ctx, b)
	}
	return s.review(ctx, b)
}

// retryAfter is how long a task is left alone that cannot be taken here for
// reasons that a person has to mend.
const retryAfter = 30 * time.Second

// pick is the best task for an act that is not left to others, or why there is
// none.
func (s *supervisor) pick(ctx context.Context, b *flow.Board, act flow.Act) (flow.TaskID, *flow.Refusal) {
	at := s.at(b)
	return b.Best(act, s.clone.Caller, at, func(t flow.Summary) bool {
		return s.leaves(b, t, at) || s.barred(ctx, b, act, t.ID)
	})
}

// leaves reports whether the supervisor leaves a task to others for now.
func (s *supervisor) leaves(b *flow.Board, t flow.Summary, at time.Time) bool {
	return time.Now().Before(s.avoided[t.ID]) || t.Coder != flow.Actor(s.id) && b.LeftUntil(t).After(at)
}

// avoid tells a lost race from an obstacle on this machine; a task behind an
// obstacle is left to others for a while.
func (s *supervisor) avoid(ctx context.Context, act flow.Act, id flow.TaskID, err error) (turn, error) {
	var refusal *flow.Refusal
	var obstacle *worktrees.Obstacle
	if !errors.As(err, &obstacle) && (!errors.As(err, &refusal) || refusal.Rule == flow.RuleStale) {
		return turn{}, err
	}
	b, _, readErr := s.clone.Store.Board(ctx)
	if readErr != nil {
		return turn{}, readErr
	}
	if b.Opens(act, id, s.clone.Caller, s.at(b)) != nil {
		return turn{moved: true}, nil
	}
	return s.shun(id, err), nil
}

// shun leaves a task to others for a while.
func (s *supervisor) shun(id flow.TaskID, why error) turn {
	s.avoided[id] = time.Now().Add(retryAfter)
	s.rush.troubles.set(id, why)
	s.sayOnce("%s cannot take %s: %v", s.id, id, why)
	return turn{retry: s.avoided[id]}
}

func (s *supervisor) say(format string, args ...any) { s.rush.say(fmt.Sprintf(format, args...)) }

// sayOnce says something unless it was the last complaint already.
func (s *supervisor) sayOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != s.said {
		s.said = text
		s.rush.say(text)
	}
}
