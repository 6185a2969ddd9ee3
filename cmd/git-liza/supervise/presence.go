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
	resting   = "resting"  // between two sessions on one assignment
	paused    = "paused"   // its provider is
	degraded  = "degraded" // it gets no work
)

// doingOf is what an agent of a role does in a session.
var doingOf = map[flow.Role]string{flow.Planner: planning, flow.Coder: coding, flow.CodeReviewer: reviewing}

// A presence is what a supervisor says of its agent, so that others see that it
// lives, what it does and what it spends. Nothing rests on it: where it cannot
// be written, that is noted once.
type presence struct {
	reg *registration

	mu     sync.Mutex
	now    gitstore.Presence
	active bool      // the agent is registered
	saved  time.Time // when its ref was written last; zero if never
	failed bool
}

// begin begins to speak for the supervisor's registration.
func (p *presence) begin() {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	reg, at := p.reg, p.reg.clone.Store.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active = true
	p.now = gitstore.Presence{Agent: reg.id, Generation: reg.generation, Host: host, PID: os.Getpid(), Began: at, Every: flow.Duration(reg.rush.Limits.Beat),
		Provider: reg.provider.Name, Model: reg.provider.Model, Doing: waiting, Since: at}
	p.write()
}

// setDoing says what the agent does from now on.
func (p *presence) setDoing(what string, task flow.TaskID, note string) {
	note = p.reg.rush.mask.String(note)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active || p.now.Doing == what && p.now.Task == task && p.now.Note == note {
		return
	}
	if p.now.Doing != what || p.now.Task != task {
		p.now.Since = p.reg.clone.Store.Now()
	}
	p.now.Doing, p.now.Task, p.now.Note = what, task, note
	p.write()
}

// setUsage says what the agent has used that is not on the board; model is "" where
// it is not known.
func (p *presence) setUsage(used flow.Usage, model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if model == "" {
		model = p.now.Model
	}
	if !p.active || p.now.Usage == used && p.now.Model == model {
		return
	}
	p.now.Usage, p.now.Model = used, model
	p.write()
}

// write writes what there is to say.
func (p *presence) write() {
	p.now.At = p.reg.clone.Store.Now()
	p.noteFailure(gitstore.Beat(p.reg.clone.Repo, p.now))
}

// noteFailure notes the first thing that keeps the presence from being written.
func (p *presence) noteFailure(err error) {
	if err != nil && !p.failed {
		p.failed = true
		p.reg.log.note("\n--- others will not see what %s does: %v\n", p.reg.id, err)
	}
}

// refresh says that the agent lives, and writes its ref where that is older than a
// length of time: share reports that it has.
func (p *presence) refresh(ctx context.Context, each time.Duration) (share bool) {
	said, due := p.nextWrite(each)
	if !due {
		return false
	}
	// A locked ref may take seconds, for which the agent's work does not wait.
	err := gitstore.SavePresence(ctx, p.reg.clone.Repo, said)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noteFailure(err)
	if !p.active { // it has left meanwhile
		p.noteFailure(gitstore.DropPresence(context.WithoutCancel(ctx), p.reg.clone.Repo, said.Agent, said.Generation))
		return false
	}
	return err == nil
}

// nextWrite is one beat, and what the ref is to say if it is time for that.
func (p *presence) nextWrite(each time.Duration) (said gitstore.Presence, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active {
		return said, false
	}
	p.write()
	said = p.now
	said.Every = flow.Duration(each)
	if !p.saved.IsZero() && time.Since(p.saved) < each {
		return said, false
	}
	p.saved = time.Now()
	return said, true
}

// end takes back what was said; shared reports that a ref was written.
func (p *presence) end(ctx context.Context) (shared bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active {
		return false, nil
	}
	p.active = false
	return !p.saved.IsZero(), gitstore.DropPresence(ctx, p.reg.clone.Repo, p.reg.id, p.reg.generation)
}

// A presenceWriter says for the agents of a rush that they live.
type presenceWriter struct {
	store *gitstore.Store
	each  time.Duration // between two refs of an agent: half a lease

	failed bool // and that was said

	mu   sync.Mutex
	left []flow.AgentID // whose refs the remote may still have
}

// forgetAgents has the remote forget agents that have left.
func (h *presenceWriter) forgetAgents(ids ...flow.AgentID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, ids...)
}

// startPresences lets the rush's agents be seen, in a goroutine that ends with ctx.
func (r *Rush) startPresences(ctx context.Context) (<-chan struct{}, error) {
	store, err := gitstore.OpenStore(ctx, r.Clone.Repo, r.Clone.Store.Now)
	if err != nil {
		return nil, err
	}
	b, _, err := store.Board(ctx)
	if err != nil {
		return nil, err
	}
	r.presences.store, r.presences.each = store, time.Duration(b.Settings().Config.Lease)/2
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(r.Limits.Beat)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				r.writePresences(ctx)
				continue
			case <-ctx.Done():
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
			defer cancel()
			r.sharePresences(ctx, nil)
			return
		}
	}()
	return ended, nil
}

// writePresences is one beat of all agents that are there.
func (r *Rush) writePresences(ctx context.Context) {
	var due []flow.AgentID
	for _, s := range r.idle.supervisors() {
		if s.presence.refresh(ctx, r.presences.each) {
			due = append(due, s.id)
		}
	}
	r.sharePresences(ctx, due)
}

// sharePresences brings to the remote what is due, and takes away there what agents that
// have left said. It is no move and holds none up. What the remote did not get
// comes with the next ref.
func (r *Rush) sharePresences(ctx context.Context, due []flow.AgentID) {
	if r.link.remote == "" || r.link.isDown() {
		return
	}
	h := &r.presences
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
	case ctx.Err() != nil, isUnanswered(err):
		h.forgetAgents(gone...)
	case !h.failed:
		h.failed = true
		r.say(fmt.Sprintf("other hosts do not see what agents do here: %v", err))
	}
}
