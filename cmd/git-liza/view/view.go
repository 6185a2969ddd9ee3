// Package view says what people and programs are shown of a blackboard. It turns
// a board, a time and what a clone knows besides into values for JSON, rows and
// text for people, and the commands to type next. Everything that shows a board
// stands on it, so that text, JSON, a terminal and a browser say the same.
//
// It is pure: it prints nothing, runs nothing, and asks neither a clock nor the
// environment. It decides nothing either: what may be done is asked of the rules
// in package flow. What a board lacks or cannot read is told by [flow.Board.Err],
// which callers ask when they are done with a [Reading].
package view

import (
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A Reading is the blackboard as it was read at a time, for an asker.
type Reading struct {
	Board *flow.Board
	Tip   flow.ObjectID // the state commit that was read
	At    time.Time     // when it is looked at; leases end by it

	Principal string      // as which this clone acts, "" if it has none
	Asker     flow.Caller // whose claims "claimable" and "why_not" speak of

	// Checkout is the folder of a task's checkout on this host, "" if there is
	// none. A nil function stands for a host without checkouts.
	Checkout func(*flow.Task) string

	Local Local
}

// A Local is what a clone and its machine know beside the board. Its zero value
// knows nothing: nobody is dead, nothing waits for trust, no remote is set.
type Local struct {
	Presences map[flow.AgentID]gitstore.Presence // what supervisors last said of their agents
	Dead      map[flow.AgentID]int               // the process of an agent's supervisor, where it died on this machine
	Untrusted map[flow.TaskID]Step               // tasks whose verify command nobody here has allowed, and how to allow it

	Identity  Identity
	Remote    Remote
	Hooks     string  // what is wrong with the hooks of this clone, "" if nothing is
	Breach    *Breach // why the board's last moves do not replay, nil where they do
	Repair    string  // the command that repairs such a board
	Uncounted int     // sessions of the current goal that told nothing of what they used
	Take      string  // the command that brings merged work to the branch people work on, "" if there is no need
	Ahead     *Step   // what to do about a branch of people that is ahead of integration, nil if none is
}

// A Breach is one thing that is wrong with a board.
type Breach struct {
	Rule   flow.Rule     `json:"rule"`
	Reason string        `json:"reason"`
	Commit flow.ObjectID `json:"commit,omitempty"` // the state commit that does not replay, or the one that cannot be read
}

// A Step is a command that would move the board on.
type Step struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// mostIDs is how far [Reading.FreeAgent] looks for an id that this clone may act as.
const mostIDs = 10000

// FreeAgent is the first id of a role that can act by hand, and as this clone's
// principal: registered so and idle, or not registered. Where there is none it is
// the first id of all, and the rules say why that cannot act.
func (r Reading) FreeAgent(role flow.Role) flow.Caller {
	me := r.Board.Principals().Find(r.Principal)
	for n := 1; n <= mostIDs; n++ {
		id := agentID(role, n)
		if me != nil && !me.MayAct(flow.Actor(id)) {
			continue
		}
		if a := r.Board.Agent(id); a == nil || a.Generation == "" && a.Task == "" && a.Review == "" && a.Degraded == "" {
			return flow.Caller{By: flow.Actor(id), Principal: r.Principal}
		}
	}
	return flow.Caller{By: flow.Actor(agentID(role, 1)), Principal: r.Principal}
}

func agentID(role flow.Role, n int) flow.AgentID {
	return flow.AgentID(role.String() + "-" + strconv.Itoa(n))
}
