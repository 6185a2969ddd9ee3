// Package supervise runs supervisors: each registers one agent, waits for work
// that its role may do, claims it, spawns the agent's program in the worktree
// and watches both until the board shows the expected move. Any of them merges
// what is approved.
//
// A supervisor is never a language model and decides nothing that the rules of
// flow decide. What it starts it also ends: when it returns, no process of an
// agent is left, nothing is held and nobody is registered.
package supervise

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
	"github.com/git-liza/git-liza/worktrees"
)

// A Post is one agent that a supervisor is wanted for.
type Post struct {
	Role     flow.Role
	ID       flow.AgentID // "" for the first number that is free
	Provider provider.Provider
	Once     bool          // it ends after one piece of work
	MaxWait  time.Duration // it ends after so long without work; 0 is never
}

// A Rush is a set of supervisors in one process with one view of the
// blackboard. Everything but Clone and Self may be left zero.
type Rush struct {
	Clone   *work.Clone // the repository; its actor does not matter
	Self    string      // the path of this git-liza
	Environ []string    // of which agents see a part
	Layers  []templates.Layer
	Limits  Limits // the zero value means DefaultLimits
	Bounds  Bounds // on sessions, beside the budgets of the board

	// UntilIdle ends the rush when all tasks are final, or when nothing can
	// move without a human: a *Stuck.
	UntilIdle bool

	// Say receives what happens, a line at a time, from one goroutine at a
	// time.
	Say func(line string)
	// Follow is the agent whose output is said too, each line after its name.
	Follow flow.AgentID

	// Hooks notes how the clone's hooks stand. What it returns puts them back
	// there, and says so if they stood elsewhere; nil where there are none. May
	// be nil.
	Hooks func(context.Context) (func(context.Context) (string, error), error)

	sessions  atomic.Int32                 // that run
	footing   atomic.Pointer[work.Footing] // of the one that began last
	settings  settings
	committer [2]string
	mask      *secret.Mask // of what is kept
	view      *work.View
	roll      *roll
	plans     *plans
	troubles  *troubles
	pauses    pauses
	fitness   fitness
	link      link
	herald    herald
	recorded  recorded
	heard     heard
	others    others
	tab       tab
	speech    sync.Mutex
}

// Run runs a supervisor for each post until all have ended. It returns nil
// after the board was stopped or ctx is done. If all supervisors end with an
// error, it is that of the first.
func (r *Rush) Run(ctx context.Context, posts []Post) error {
	if r.Clone.Trees == nil {
		return worktrees.ErrNoWorkTree
	}
	if r.Limits == (Limits{}) {
		r.Limits = DefaultLimits()
	}
	name, email, err := r.Clone.Repo.Identity(ctx)
	if err != nil {
		return err
	}
	b, begun, err := r.Clone.Store.Board(ctx)
	if err != nil {
		return err
	}
	r.committer = [2]string{name, email}
	r.Clone.Repo.Notice = r.say
	r.plans = &plans{seen: map[string]*wake{}}
	r.mask = secret.New(r.Environ, nil)
	r.pauses.said = map[string]string{}
	r.recorded.begun, r.recorded.last = r.Clone.Store.Now(), map[flow.AgentID]time.Time{}
	r.troubles = &troubles{list: map[flow.TaskID]trouble{}}
	r.roll = &roll{ends: make(chan struct{}, 1), rest: map[*supervisor]flow.ObjectID{}}

	if r.link.remote, err = r.Clone.Store.Authority(ctx); err != nil {
		return err
	}
	watching, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	defer unwatch()
	r.view = work.Watch(watching, r.Clone.Repo)
	for _, line := range Unbound(b, r.Bounds, posts) {
		r.say(line)
	}
	told, err := r.narrate(watching, begun)
	if err != nil {
		return err
	}
	polled, err := r.poll(watching)
	if err != nil {
		return err
	}
	heralded, err := r.announce(watching)
	if err != nil {
		return err
	}
	succeeded := r.succeed(watching)
	err = r.man(ctx, posts)
	unwatch()
	<-succeeded
	<-heralded
	<-polled
	<-told
	return err
}

// man runs the supervisors and waits for them.
func (r *Rush) man(ctx context.Context, posts []Post) error {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(posts))
	var wait sync.WaitGroup
	for i, post := range posts {
		s := &supervisor{rush: r, post: post, provider: post.Provider, vacate: func() {},
			avoided: map[flow.TaskID]time.Time{}, failures: map[flow.TaskID]string{}, threads: map[flow.TaskID]thread{}}
		s.presence = &presence{s: s}
		r.roll.busy(s)
		wait.Go(func() {
			errs[i] = s.run(working)
			r.roll.gone(s)
			if errs[i] != nil && len(posts) > 1 {
				r.say(cmp.Or(string(s.id), "a "+post.Role.String()) + " ends: " + errs[i].Error())
			}
		})
	}
	all := make(chan struct{})
	go func() {
		wait.Wait()
		close(all)
	}()
	verdict, err := r.awaitEnd(ctx, all)
	cancel()
	<-all
	if err != nil || verdict || ctx.Err() != nil {
		return err
	}
	for _, err := range errs {
		if err == nil {
			return nil
		}
	}
	return errors.Join(errs[:min(1, len(errs))]...)
}

// awaitEnd waits until all supervisors ended, or the rush is over: verdict.
func (r *Rush) awaitEnd(ctx context.Context, all <-chan struct{}) (verdict bool, err error) {
	for {
		select {
		case <-all:
			return false, nil
		case <-r.roll.ends:
		}
		if !r.UntilIdle || ctx.Err() != nil {
			continue
		}
		over, err := r.over(ctx)
		if over {
			return true, err
		}
		if err != nil {
			r.say(err.Error())
		}
	}
}

// say passes on what happened, as one line.
func (r *Rush) say(line string) {
	if r.Say == nil {
		return
	}
	r.speech.Lock()
	defer r.speech.Unlock()
	r.Say(strings.ReplaceAll(flow.Clean(line), "\n", " ")) // git repeats what hooks print
}

// follower is where an agent's output goes beside its log.
func (r *Rush) follower(id flow.AgentID) io.Writer {
	if id != r.Follow {
		return nil
	}
	return &prefixer{prefix: string(id) + " | ", to: r.say}
}

// A roll says which supervisors are at rest, and at which state of the board.
type roll struct {
	ends chan struct{} // has something to read when all are at rest

	mu   sync.Mutex
	rest map[*supervisor]flow.ObjectID // "" while at work
}

func (l *roll) busy(s *supervisor) { l.set(s, "") }

func (l *roll) idle(s *supervisor, tip flow.ObjectID) { l.set(s, tip) }

func (l *roll) set(s *supervisor, tip flow.ObjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest[s] = tip
	l.ring()
}

func (l *roll) gone(s *supervisor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.rest, s)
	l.ring()
}

func (l *roll) ring() {
	if _, ok := l.agreed(); !ok {
		return
	}
	select {
	case l.ends <- struct{}{}:
	default:
	}
}

// nudge lets the end be judged again if all are at rest.
func (l *roll) nudge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring()
}

// agreed is the state of the board at which all supervisors found nothing to
// do.
func (l *roll) agreed() (tip flow.ObjectID, ok bool) {
	for _, at := range l.rest {
		if at == "" || tip != "" && at != tip {
			return "", false
		}
		tip = at
	}
	return tip, tip != ""
}

// resting is agreed for callers from outside.
func (l *roll) resting() (flow.ObjectID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.agreed()
}

// planning reports whether a planner is at work.
func (l *roll) planning() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, at := range l.rest {
		if at == "" && s.post.Role == flow.Planner {
			return true
		}
	}
	return false
}

// crew are the ids of the supervisors that are still there.
func (l *roll) crew() []*supervisor {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*supervisor
	for s := range l.rest {
		list = append(list, s)
	}
	return list
}

// over judges the board once all supervisors are at rest. It is true when
// nothing can move any more; the error is then nil if all tasks are final.
func (r *Rush) over(ctx context.Context) (bool, error) {
	tip, ok := r.roll.resting()
	if !ok {
		return false, nil
	}
	if settled, err := r.settled(ctx); err != nil || !settled {
		return false, err
	}
	now, err := r.Clone.Repo.Resolve(ctx, git.StateRef)
	if err != nil || now != tip {
		return false, err
	}
	b, err := r.Clone.Store.BoardAt(tip)
	if err != nil {
		return true, err
	}
	if r.link.remote != "" && r.expected(b) {
		return false, nil
	}
	return true, r.stuck(b)
}
