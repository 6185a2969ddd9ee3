package supervise

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// What an agent does, as its presence tells.
const (
	waiting   = "waiting"
	preparing = "preparing"
	coding    = "coding"
	reviewing = "reviewing"
	planning  = "planning"
	answering = "answering"
	merging   = "merging"
	retrying  = "retrying" // between two sessions on one assignment
	paused    = "paused"   // its provider pauses
	resting   = "resting"  // it gets no work
)

// doingOf is what an agent does in a session.
var doingOf = map[board.Capacity]string{board.Plans: planning, board.Does: coding, board.Judges: reviewing, 0: answering}

// A presence is what a supervisor tells of its agent: that it lives, what it does and
// what it spends. No rule depends on it. If it cannot be written, that is noted once.
type presence struct {
	reg *registration

	mu     sync.Mutex
	now    gitstore.Presence
	active bool      // the agent is registered
	saved  time.Time // when its ref was last written; zero if never
	failed bool
}

// begin starts the presence of the supervisor's registration.
func (p *presence) begin() {
	host, _ := os.Hostname() // "" if it is not known
	reg, at := p.reg, p.reg.clone.Store.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active = true
	p.now = gitstore.Presence{Agent: reg.id, Generation: reg.generation, Host: host, PID: os.Getpid(), Began: at, Every: board.Duration(reg.rush.Limits.Beat),
		Provider: reg.provider.Name, Model: reg.provider.Model, Doing: waiting, Since: at}
	p.write()
}

// setDoing sets what the agent does from now on.
func (p *presence) setDoing(what string, task board.TaskID, note string) {
	note = p.reg.rush.mask.String(note)
	p.change(func(now *gitstore.Presence) {
		if now.Doing != what || now.Task != task {
			now.Since = p.reg.clone.Store.Now()
		}
		now.Doing, now.Task, now.Note = what, task, note
	})
}

// setUsage sets what the agent has used that is not on the board. model is "" if it is
// not known.
func (p *presence) setUsage(used board.Usage, model string) {
	p.change(func(now *gitstore.Presence) { now.Usage, now.Model = used, cmp.Or(model, now.Model) })
}

// setContext sets how full the context of the agent's session is, in percent; 0 is
// unknown.
func (p *presence) setContext(percent int) {
	p.change(func(now *gitstore.Presence) { now.Context = percent })
}

// change writes the presence if to changes it.
func (p *presence) change(to func(now *gitstore.Presence)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.now
	if p.active {
		to(&p.now)
	}
	if p.now != was {
		p.write()
	}
}

// current returns the presence as it is now. It is false if the agent is not
// registered.
func (p *presence) current() (gitstore.Presence, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now, p.active
}

// write writes the presence to its ref.
func (p *presence) write() {
	p.now.At = p.reg.clone.Store.Now()
	p.noteFailure(gitstore.Beat(p.reg.clone.Repo, p.now))
}

// noteFailure notes the first failure to write the presence.
func (p *presence) noteFailure(err error) {
	if err != nil && !p.failed {
		p.failed = true
		p.reg.log.note("\n--- others will not see what %s does: %v\n", p.reg.id, err)
	}
}

// refresh updates the time of the presence, and writes its ref if the last one is older
// than each. share reports that it wrote the ref.
func (p *presence) refresh(ctx context.Context, each time.Duration) (share bool) {
	said, due := p.nextWrite(each)
	if !due {
		return false
	}
	// The agent's work does not wait for a locked ref, which may take seconds.
	err := gitstore.SavePresence(ctx, p.reg.clone.Repo, said)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noteFailure(err)
	if !p.active { // the agent has left meanwhile
		p.noteFailure(gitstore.DropPresence(context.WithoutCancel(ctx), p.reg.clone.Repo, said.Agent, said.Generation))
		return false
	}
	return err == nil
}

// nextWrite takes one beat. It returns what to write to the ref, and whether that is
// due.
func (p *presence) nextWrite(each time.Duration) (said gitstore.Presence, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active {
		return said, false
	}
	p.write()
	said = p.now
	said.Every = board.Duration(each)
	if !p.saved.IsZero() && time.Since(p.saved) < each {
		return said, false
	}
	p.saved = time.Now()
	return said, true
}

// end withdraws the presence. shared reports whether a ref had been written.
func (p *presence) end(ctx context.Context) (shared bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active {
		return false, nil
	}
	p.active = false
	return !p.saved.IsZero(), gitstore.DropPresence(ctx, p.reg.clone.Repo, p.reg.id, p.reg.generation)
}

// A presenceWriter refreshes the presences of a rush's agents.
type presenceWriter struct {
	store *gitstore.Store
	each  time.Duration // between two writes of an agent's ref: half a lease

	failed bool // a failure was said

	mu   sync.Mutex
	left []board.AgentID // agents that have left, whose refs the remote may still have
}

// forgetAgents has the remote's refs of agents that have left deleted.
func (h *presenceWriter) forgetAgents(ids ...board.AgentID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, ids...)
}

// startPresences publishes the presences of the rush's agents, in a goroutine that ends
// with ctx.
func (r *Rush) startPresences(ctx context.Context) error {
	store := gitstore.OpenStore(ctx, r.Clone.Repo, r.Clone.Store.Now)
	b, _, err := store.Board(ctx)
	if err != nil {
		return err
	}
	r.presences.store, r.presences.each = store, time.Duration(b.Settings().Config.Lease)/2
	r.beside.Go(func() {
		for git.Wait(ctx, r.Limits.Beat) == nil {
			r.writePresences(ctx)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLeave)
		defer cancel()
		r.sharePresences(ctx, nil)
	})
	return nil
}

// writePresences takes one beat for all registered agents.
func (r *Rush) writePresences(ctx context.Context) {
	var due []board.AgentID
	for _, s := range r.idle.supervisors() {
		if s.presence.refresh(ctx, r.presences.each) {
			due = append(due, s.id)
		}
		s.takeWork(ctx)
	}
	r.sharePresences(ctx, due)
}

// takeWork brings what a coder has committed in its checkout so far to the clone. Whoever
// needs it tries again and says what is wrong.
func (s *supervisor) takeWork(ctx context.Context) {
	now, active := s.presence.current()
	if !active || now.Doing != coding || s.clone.Checkouts.Trees == nil {
		return
	}
	b, _, err := s.rush.presences.store.Board(ctx)
	if err != nil {
		return
	}
	if t := b.Task(now.Task); t != nil && t.Attempt != nil {
		_ = s.clone.Checkouts.Trees.Take(ctx, t.ID.Folder(t.Attempt.Number))
	}
}

// sharePresences pushes the presences that are due to the remote, and deletes there
// those of agents that have left. It is no move and no move waits for it. A failed push
// is made up for by the next one.
func (r *Rush) sharePresences(ctx context.Context, due []board.AgentID) {
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
