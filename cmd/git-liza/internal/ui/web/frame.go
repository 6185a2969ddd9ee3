package web

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// glanceLog is how many moves a page shows that is about something else.
const glanceLog = 12

// A Frame is what the pages show at one moment: the values of the newest picture. Nothing
// in it changes, so that every request may read it.
type Frame struct {
	Version uint64 // grows with each frame of a feed
	Tip     board.ObjectID
	At      time.Time
	Board   string // its id
	Person  flow.Caller
	Local   view.Local

	Status *view.Status
	Inbox  *view.Inbox
	Flow   []view.Column
	Agents []view.Agent
	Alarms []view.Alarm
	Log    []view.Entry

	Past   bool          // it is no state of now
	Broken *flow.Refusal // why the state of now cannot be read, nil if it can
	Since  time.Time     // from when on; zero unless it is broken
}

// frameOf returns the values of a picture. last is an earlier frame of it, whose values are
// those of the parts that did not change; nil if there is none.
func frameOf(p *view.Picture, last *Frame, changes []view.Change) *Frame {
	r := p.Reading()
	f := &Frame{}
	if last != nil {
		*f = *last
	} else {
		changes = p.Everything()
	}
	f.Tip, f.At, f.Board, f.Person, f.Local = r.Tip, r.At, r.Board.Settings().Board, r.Person, r.Local
	f.Broken, f.Since = nil, time.Time{}
	for _, c := range changes {
		switch c.Part {
		case view.HeadPart:
			f.Status = p.Overview()
		case view.InboxPart:
			f.Inbox = p.Inbox()
		case view.FlowPart:
			f.Flow = p.Flow()
		case view.AgentsPart:
			f.Agents = p.Agents()
		case view.AlarmsPart:
			f.Alarms = p.Alarms()
		case view.LogPart:
			f.Log = p.Log(glanceLog)
		}
	}
	return f
}

// A Feed has the newest frame. One goroutine calls Show; any goroutine reads.
type Feed struct {
	explain func(error) *flow.Refusal
	newest  atomic.Pointer[Frame]
	first   chan struct{} // closed once there is a frame

	mu      sync.Mutex
	changed chan struct{} // closed when there is a newer frame
}

func (f *Feed) begin(explain func(error) *flow.Refusal) {
	f.explain, f.first, f.changed = explain, make(chan struct{}), make(chan struct{})
}

// Show takes a picture with the parts that may have changed since the last call, all of
// them at first. With an error the pages show the picture, nil if there is none, and what
// is wrong.
func (f *Feed) Show(p *view.Picture, changes []view.Change, err error) {
	last := f.newest.Load()
	switch {
	case p == nil && err == nil, err == nil && last != nil && last.Broken == nil && len(changes) == 0:
		return
	case p == nil:
		f.publish(&Frame{Inbox: &view.Inbox{}, Broken: f.explain(err)})
		return
	}
	if last != nil && last.Status == nil {
		last = nil
	}
	frame := frameOf(p, last, changes)
	if err != nil {
		frame.Broken, frame.Since = f.explain(err), frame.At
	}
	if last != nil && last.Broken != nil && frame.Broken != nil {
		frame.Since = last.Since
	}
	f.publish(frame)
}

// publish makes a frame the newest and wakes those that wait for it.
func (f *Feed) publish(frame *Frame) {
	last := f.newest.Load()
	if last != nil {
		frame.Version = last.Version + 1
	}
	f.newest.Store(frame)
	if last == nil {
		close(f.first)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.changed)
	f.changed = make(chan struct{})
}

// now returns the newest frame, and a channel that is closed when there is a newer one.
func (f *Feed) now() (*Frame, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest.Load(), f.changed
}
