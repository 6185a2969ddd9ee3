package supervise

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/gitstore"
)

// Limits bound what the sessions of agents may take and how often they may fail.
type Limits struct {
	Idle        time.Duration // silence after which a session is ended
	Wall        time.Duration // length of a coder's or reviewer's session
	PlannerWall time.Duration // length of a planner's session
	Grace       time.Duration // between TERM and KILL
	Finish      time.Duration // how long a session may go on after the move that ends it
	Await       time.Duration // how long it may go on while the agent waits in it for the verdict
	Return      time.Duration // how long an agent that waited may take to claim its task again
	Patience    time.Duration // a rush until idle does not wait for providers that pause longer
	Pause       time.Duration // before the first repetition; each further one doubles it
	MaxPause    time.Duration
	Declined    time.Duration // before what a remote has declined is pushed again; each further one doubles it, up to MaxPause
	Poll        time.Duration // before a remote is polled again after a change; each poll without one doubles it
	MaxPoll     time.Duration
	Beat        time.Duration // how often an agent's presence is refreshed
	Silence     time.Duration // after which a rush says who does what
	Context     float64       // the part of an agent's context that may be full, from 0 to 1; then another session goes on. 0 is never
	Learnt      int           // bytes of what was learnt that a prompt tells at most; 0 is nothing

	Sessions int // sessions on one claim without the expected move, whatever they changed
	Handoffs int // handoffs in a row without a change
	Plans    int // planner's sessions on one trigger
	Alone    int // planners' sessions in a row without a move of anybody else
	Moves    int // moves of an agent in one session; at more it is ended and counts as crashed
}

// DefaultLimits returns the limits of the table in doc/agents.md.
func DefaultLimits() Limits {
	return Limits{
		Idle: 15 * time.Minute, Wall: 2 * time.Hour, PlannerWall: 4 * time.Hour,
		Grace: 5 * time.Second, Finish: time.Minute, Return: 2 * time.Minute, Patience: 10 * time.Minute, Pause: 2 * time.Second, MaxPause: time.Minute, Declined: 15 * time.Second,
		Poll: time.Second, MaxPoll: 30 * time.Second, Beat: 30 * time.Second, Silence: time.Minute, Context: 0.7, Learnt: 4096,
		Sessions: 40, Handoffs: 5, Plans: 3, Alone: 12, Moves: 200,
	}
}

// pause returns how long to wait before the n-th repetition, n from 0.
func (l Limits) pause(n int) time.Duration {
	d := l.Pause
	for ; n > 0 && d < l.MaxPause; n-- {
		d *= 2
	}
	return min(d, l.MaxPause)
}

// pauseAfter is pause after an error: a remote that says no is asked less often.
func (l Limits) pauseAfter(err error, n int) time.Duration {
	if gitstore.IsDeclined(err) {
		l.Pause = l.Declined
	}
	return l.pause(n)
}

// pauseCut is how long to wait after so many sessions in a row were cut off from a remote that
// answers their supervisor: it may have said no to them.
func (l Limits) pauseCut(n int) time.Duration {
	return l.pauseAfter(gitstore.ErrDeclined, n-1)
}

// A tally counts the sessions on one assignment that fell short.
type tally struct {
	sessions, handoffs int
}

// A shortfall is how a session without the expected move counts.
type shortfall struct {
	kind     string // as people read it
	count    int
	limit    int
	reason   string // of the block when the limit is reached
	question string
}

// countSession replaces a shortfall by the limit on sessions if that is reached.
func (t *tally) countSession(l Limits, f shortfall) shortfall {
	if f.reached() || t.sessions < l.Sessions {
		return f
	}
	return shortfall{f.kind, t.sessions, l.Sessions, "session_limit: the agent has had %d sessions on one claim, and has not submitted",
		"Is the task too large for one claim? It may have to be split."}
}

// countHandoff counts a session that hands over to another one.
func (t *tally) countHandoff(l Limits, progress bool) shortfall {
	if t.handoffs++; progress {
		t.handoffs = 0
	}
	return shortfall{"handed over", t.handoffs, l.Handoffs, "handoff_limit: the agent handed over %d times in a row without changing anything",
		"Is the task too large for one session? It may have to be split."}
}

func (s shortfall) reached() bool { return s.count >= s.limit }

func (s shortfall) text() string { return fmt.Sprintf(s.reason, s.count) }
