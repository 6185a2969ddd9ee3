package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/git-liza/git-liza/flow/board"
)

// A crew is the supervisors of a rush, which people may add to and take from while it
// runs.
type crew struct {
	rush *Rush
	ctx  context.Context // of all supervisors

	mu      sync.Mutex
	members []*member     // in the order in which they began
	running int           // members that have not ended, and those that are to begin
	over    bool          // no more members begin
	ended   chan struct{} // closed when none runs
}

// A member is a supervisor of a crew. A restart makes another one.
type member struct {
	slot   Slot
	sup    *supervisor
	cancel context.CancelFunc
	ended  chan struct{} // closed when it has ended
	err    error         // why it ended, when it has
}

// reserve keeps the crew from ending until as many members have begun, or were given up
// with done. It is false if the crew has ended.
func (c *crew) reserve(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.running += n
	return true
}

// done notes the end of a member, or that a reserved one does not begin.
func (c *crew) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 && !c.over {
		c.over = true
		close(c.ended)
	}
}

// hire begins a supervisor for which a place is reserved. b gives the row of its role.
func (c *crew) hire(b *board.Board, slot Slot) *member {
	ctx, cancel := context.WithCancel(c.ctx)
	m := &member{slot: slot, sup: newSupervisor(c.rush, slot, rowOf(b, slot.Role)), cancel: cancel, ended: make(chan struct{})}
	c.rush.idle.markBusy(m.sup)
	c.mu.Lock()
	c.members = append(c.members, m)
	alone := len(c.members) == 1 && c.running == 1
	c.mu.Unlock()
	go func() {
		defer c.done()
		defer close(m.ended)
		defer cancel()
		m.err = m.sup.run(ctx)
		c.rush.idle.remove(m.sup)
		if m.err != nil && !alone {
			c.rush.ask(cmp.Or(string(m.sup.id), slot.Role.One()) + " ends: " + m.err.Error())
			c.rush.tellAbandoned(ctx, m.sup)
		}
	}()
	return m
}

// failure is the error of the first member if all have ended with one.
func (c *crew) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.members) == 0 || slices.ContainsFunc(c.members, func(m *member) bool { return m.err == nil }) {
		return nil
	}
	return errors.Join(c.members[0].err)
}

// find returns the last member that acts, or acted, as an agent; nil if there is none.
func (c *crew) find(id board.AgentID) (found *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.agent() == id {
			found = m
		}
	}
	return found
}

// agent is the agent of a member, "" before it is registered.
func (m *member) agent() board.AgentID {
	if p, active := m.sup.presence.current(); active {
		return p.Agent
	}
	if m.isOver() {
		return m.sup.id
	}
	return m.slot.ID
}

// isOver reports whether a member has ended.
func (m *member) isOver() bool {
	select {
	case <-m.ended:
		return true
	default:
		return false
	}
}

// count is how many members of a role have not ended.
func (c *crew) count(role board.Role) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.slot.Role == role && !m.isOver() {
			n++
		}
	}
	return n
}

// dismiss ends a member as an interrupt of the rush would, and returns what it held on
// the board.
func (c *crew) dismiss(ctx context.Context, b *board.Board, m *member) (held []board.TaskID, err error) {
	if a := b.Agent(m.agent()); a != nil && !m.isOver() {
		held = slices.DeleteFunc([]board.TaskID{a.Task, a.Review}, func(id board.TaskID) bool { return id == "" })
	}
	m.cancel()
	select {
	case <-m.ended:
		return held, nil
	case <-ctx.Done():
		return held, fmt.Errorf("%s is still leaving: git liza agents", m.agent())
	}
}
