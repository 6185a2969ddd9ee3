package supervise

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// What agents do, as their presence has it.
const (
	waiting   = "waiting"
	preparing = "preparing"
	coding    = "coding"
	reviewing = "reviewing"
	planning  = "planning"
	merging   = "merging"
	resting   = "resting"  // between two sessions on one piece of work
	paused    = "paused"   // its provider is
	degraded  = "degraded" // it gets no work
)

// doingOf is what an agent of a role does in a session.
var doingOf = map[flow.Role]string{flow.Planner: planning, flow.Coder: coding, flow.CodeReviewer: reviewing}

// A presence is what a supervisor says of its agent, so that others see that it
// lives, what it does and what it spends. Nothing rests on it: where it cannot
// be written, that is noted once.
type presence struct {
	s *supervisor

	mu     sync.Mutex
	now    gitstore.Presence
	here   bool      // the agent is registered
	saved  time.Time // when its ref was written last; zero if never
	failed bool
}

// enter begins to speak for the supervisor's registration.
func (p *presence) enter() {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	s, at := p.s, p.s.clone.Store.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here = true
	p.now = gitstore.Presence{Agent: s.id, Generation: s.generation, Host: host, PID: os.Getpid(), Began: at, Every: flow.Duration(s.rush.Limits.Beat),
		Provider: s.provider.Name, Model: s.provider.Model, Doing: waiting, Since: at}
	p.beat()
}

// doing says what the agent does from now on.
func (p *presence) doing(what string, task flow.TaskID, note string) {
	note = p.s.rush.mask.String(note)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.here || p.now.Doing == what && p.now.Task == task && p.now.Note == note {
		return
	}
	if p.now.Doing != what || p.now.Task != task {
		p.now.Since = p.s.clone.Store.Now()
	}
	p.now.Doing, p.now.Task, p.now.Note = what, task, note
	p.beat()
}

// spends says what the agent has used that is not on the board; model is "" where
// it is not known.
func (p *presence) spends(used flow.Usage, model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if model == "" {
		model = p.now.Model
	}
	if !p.here || p.now.Usage == used && p.now.Model == model {
		return
	}
	p.now.Usage, p.now.Model = used, model
	p.beat()
}

// beat writes what there is to say.
func (p *presence) beat() {
	p.now.At = p.s.clone.Store.Now()
	p.heed(gitstore.Beat(p.s.clone.Repo, p.now))
}

// heed notes the first thing that keeps the presence from being written.
func (p *presence) heed(err error) {
	if err != nil && !p.failed {
		p.failed = true
		p.s.log.note("\n--- others will not see what %s does: %v\n", p.s.id, err)
	}
}

// live says that the agent lives, and writes its ref where that is older than a
// length of time: share reports that it has.
func (p *presence) live(ctx context.Context, each time.Duration) (share bool) {
	said, due := p.due(each)
	if !due {
		return false
	}
	// A locked ref may take seconds, for which the agent's work does not wait.
	err := gitstore.SavePresence(ctx, p.s.clone.Repo, said)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heed(err)
	if !p.here { // it has left meanwhile
		p.heed(gitstore.DropPresence(context.WithoutCancel(ctx), p.s.clone.Repo, said.Agent, said.Generation))
		return false
	}
	return err == nil
}

// due is one beat, and what the ref is to say if it is time for that.
func (p *presence) due(each time.Duration) (said gitstore.Presence, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.here {
		return said, false
	}
	p.beat()
	said = p.now
	said.Every = flow.Duration(each)
	if !p.saved.IsZero() && time.Since(p.saved) < each {
		return said, false
	}
	p.saved = time.Now()
	return said, true
}

// leave takes back what was said; shared reports that a ref was written.
func (p *presence) leave(ctx context.Context) (shared bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.here {
		return false, nil
	}
	p.here = false
	return !p.saved.IsZero(), gitstore.DropPresence(ctx, p.s.clone.Repo, p.s.id, p.s.generation)
}

// A herald says for the agents of a rush that they live.
type herald struct {
	store *gitstore.Store
	each  time.Duration // between two refs of an agent: half a lease

	failed bool // and that was said

	mu   sync.Mutex
	left []flow.AgentID // whose refs the remote may still have
}

// forget has the remote forget agents that have left.
func (h *herald) forget(ids ...flow.AgentID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, ids...)
}

// announce lets the rush's agents be seen, in a goroutine that ends with ctx.
func (r *Rush) announce(ctx context.Context) (<-chan struct{}, error) {
	store, err := gitstore.OpenStore(ctx, r.Clone.Repo, r.Clone.Store.Now)
	if err != nil {
		return nil, err
	}
	b, _, err := store.Board(ctx)
	if err != nil {
		return nil, err
	}
	r.herald.store, r.herald.each = store, time.Duration(b.Settings().Config.Lease)/2
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(r.Limits.Beat)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				r.beat(ctx)
				continue
			case <-ctx.Done():
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
			defer cancel()
			r.share(ctx, nil)
			return
		}
	}()
	return ended, nil
}

// beat is one beat of all agents that are there.
func (r *Rush) beat(ctx context.Context) {
	var due []flow.AgentID
	for _, s := range r.roll.crew() {
		if s.presence.live(ctx, r.herald.each) {
			due = append(due, s.id)
		}
	}
	r.share(ctx, due)
}

// share brings to the remote what is due, and takes away there what agents that
// have left said. It is no move and holds none up. What the remote did not get
// comes with the next ref.
func (r *Rush) share(ctx context.Context, due []flow.AgentID) {
	if r.link.remote == "" || r.link.isDown() {
		return
	}
	h := &r.herald
	h.mu.Lock()
	gone := h.left
	h.left = nil
	h.mu.Unlock()
	if len(due)+len(gone) == 0 {
		return
	}
	err := h.store.Presences.Share(ctx, append(due, gone...))
	switch {
	case err == nil:
	case ctx.Err() != nil, unanswered(err):
		h.forget(gone...)
	case !h.failed:
		h.failed = true
		r.say(fmt.Sprintf("other hosts do not see what agents do here: %v", err))
	}
}
